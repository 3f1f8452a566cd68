"""An image from its OCI archive as a folder, and its programs started there as a Pod starts them."""

import json
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

# OCI image specification, "Whiteouts": a file that a layer removes from those below it
_REMOVED = ".wh."

# /tmp is a volume of the Pod, and the only place that can be written. Nothing mounted here is seen outside.
_INSIDE = """\
set -e
root=$1 shared=$2 user=$3 group=$4
shift 4
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o size=64M,mode=1777 tmpfs "$root/tmp"
mkdir -p "$root$shared"
mount --bind "$shared" "$root$shared"
mount -o remount,bind,ro "$root"
exec chroot "$root" /usr/bin/setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs \\
    --bounding-set=-all --inh-caps=-all -- "$@"
"""


@dataclass(frozen=True, slots=True)
class Image:
    """The files of an image, and what it says about running them (``config`` of the OCI image configuration)."""

    root: Path
    config: Mapping[str, Any]
    architecture: str

    def command(self, shared: Path, *args: str) -> list[str]:
        """A command as a Pod runs it: the image's user and environment, a read-only root, and ``shared`` mounted."""
        user, group = self.config["User"].split(":")
        start = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _INSIDE, "sh"]
        place = ["/usr/bin/env", "--ignore-environment", f"--chdir={self.config['WorkingDir']}", *self.config["Env"]]
        return [*start, str(self.root), str(shared), user, group, *place, *args]


def unpack(archive: Path, folder: Path) -> Image:
    """Unpack an archive with one image into ``folder``; only root can give the files their owners."""
    layout, root = folder / "layout", folder / "root"
    for each in (layout, root):
        each.mkdir(parents=True)
    subprocess.run(["tar", "--extract", "--file", archive, "--directory", layout], check=True)

    def blob(descriptor: Mapping[str, Any]) -> Path:
        return layout / "blobs" / descriptor["digest"].replace(":", "/")

    (described,) = json.loads((layout / "index.json").read_text(encoding="utf-8"))["manifests"]
    manifest = json.loads(blob(described).read_text(encoding="utf-8"))
    for layer in manifest["layers"]:
        _apply(blob(layer), root)
    image = json.loads(blob(manifest["config"]).read_text(encoding="utf-8"))
    shutil.rmtree(layout)
    return Image(root, image["config"], image["architecture"])


def _apply(layer: Path, root: Path) -> None:
    with tarfile.open(layer) as members:
        removed = [name for each in members if (name := PurePosixPath(each.name)).name.startswith(_REMOVED)]
    for name in removed:
        path = root / name.with_name(name.name.removeprefix(_REMOVED))
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    options = ["--numeric-owner", f"--exclude={_REMOVED}*", "--directory", str(root)]
    subprocess.run(["tar", "--extract", *options, "--file", layer], check=True)
