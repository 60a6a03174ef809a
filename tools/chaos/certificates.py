"""A certificate authority, and certificates that are valid, expired, or for another name."""
import subprocess
from pathlib import Path

HOST = "www.example.com"
AUTHORITY = "authority.pem"
KINDS = ("good", "expired", "misnamed")


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make(folder: Path) -> None:
    """KIND.pem and KIND.key of each kind, and the authority's certificate, in `folder`."""
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    _openssl(folder, "req", "-x509", *curve, "-subj", "/CN=a town's authority", "-days", "30", "-keyout",
             "authority.key", "-out", AUTHORITY)
    for kind in KINDS:
        host = "other.example.com" if kind == "misnamed" else HOST
        _openssl(folder, "req", "-new", *curve, "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
                 "-keyout", f"{kind}.key", "-out", f"{kind}.csr")
        _openssl(folder, "x509", "-req", "-in", f"{kind}.csr", "-CA", AUTHORITY, "-CAkey", "authority.key",
                 "-copy_extensions", "copy", "-days", "-1" if kind == "expired" else "30", "-out", f"{kind}.pem")
