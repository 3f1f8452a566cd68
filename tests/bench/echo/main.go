// A TLS server that answers every request with its own body: what net/http can do where nothing is judged.
//
// Usage: echo CERT KEY. Prints its URL, serves until it is killed.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: echo CERT KEY")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("https://%s\n", listener.Addr())
	server := &http.Server{
		Handler: http.HandlerFunc(echo),
		// what our server speaks as well, so that connections are the same kind of thing for both
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	log.Fatal(server.ServeTLS(listener, os.Args[1], os.Args[2]))
}

func echo(answer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	answer.Header().Set("Content-Type", "application/json")
	if _, err := answer.Write(body); err != nil {
		log.Print(err)
	}
}
