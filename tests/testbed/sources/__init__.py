"""Where parts come from: Debian archives, Go modules and archive files, fetched and unpacked."""
