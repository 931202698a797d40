// verify.go
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// VerifyStandard reports whether a request was signed with the secret. body: the raw bytes.
func VerifyStandard(secret string, header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("X-Service-Timestamp")
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if secret == "" || err != nil { // anyone could sign with an empty secret
		return false
	}
	if age := now.Unix() - sent; age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	// During a rotation your secret may be the new or the previous one.
	return hmac.Equal([]byte(header.Get("X-Service-Signature")), expected) ||
		hmac.Equal([]byte(header.Get("X-Service-Signature-Previous")), expected)
}
