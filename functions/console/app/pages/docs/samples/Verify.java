// Verify.java
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
  /** headers: names in lower case; body: the raw bytes. */
  public static boolean standard(String secret, Map<String, String> headers, byte[] body, long nowSeconds)
      throws GeneralSecurityException {
    String timestamp = headers.getOrDefault("x-service-timestamp", "");
    if (!timestamp.matches("[0-9]{1,12}") || Math.abs(nowSeconds - Long.parseLong(timestamp)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256"); // an empty secret throws: anyone could sign with it
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("sha256=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    // During a rotation your secret may be the new or the previous one.
    for (String name : new String[] {"x-service-signature", "x-service-signature-previous"}) {
      byte[] given = headers.getOrDefault(name, "").getBytes(StandardCharsets.UTF_8);
      if (MessageDigest.isEqual(given, expected)) return true;
    }
    return false;
  }
}
