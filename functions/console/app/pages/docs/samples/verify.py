# verify.py
import hashlib, hmac, time

def _matches(given, secret, signed):
    if not secret:
        raise ValueError("no secret")  # anyone could sign with an empty one
    expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest((given or "").encode(), expected.encode())

def verify_standard(secret, headers, body, now=None):
    """headers: names in lower case; body: the raw bytes."""
    timestamp = headers.get("x-service-timestamp", "")
    try:
        if not abs((time.time() if now is None else now) - float(timestamp)) <= 300:
            return False
    except ValueError:
        return False
    signed = timestamp.encode() + b"." + body
    return any(_matches(headers.get(name), secret, signed)
               for name in ("x-service-signature", "x-service-signature-previous"))

def verify_simple(secret, headers, body):
    return any(_matches(headers.get(name), secret, body)
               for name in ("x-webhook-signature", "x-webhook-signature-previous"))
