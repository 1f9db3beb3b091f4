package fairgate.redeem;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Checks that the seller's system signed an order for a product.
///
/// The form is `v1.{key id}.{expiry}.{signature}`: expiry in seconds since 1970; signature in
/// base64url without padding, HMAC-SHA256 over the fields `fairgate-claim-v1`, key id, expiry,
/// order number and product, each written as its length in bytes of UTF-8, a colon, and itself, so
/// that no two lists of fields look the same.
record ClaimSignature(RedeemConfig.OrderSignature config, InstantSource clock) {
  private static final Pattern FORM =
      Pattern.compile("v1\\.([A-Za-z0-9_-]{1,32})\\.(\\d{1,12})\\.([A-Za-z0-9_-]{43})");
  private static final Pattern PLAIN = Pattern.compile("[0-9a-fA-F]{64}");

  /// Whether the signature permits a claim of this order. Always true if signatures are not
  /// required.
  boolean accepts(String orderId, String productId, @Nullable String signature) {
    if (!config.required()) {
      return true;
    }
    if (signature == null) {
      return false;
    }
    Matcher form = FORM.matcher(signature);
    if (form.matches()) {
      String secret = config.keys().get(form.group(1));
      return secret != null
          && Long.parseLong(form.group(2)) > clock.instant().getEpochSecond()
          && same(
              mac(secret, fields(form.group(1), form.group(2), orderId, productId)),
              Base64.getUrlDecoder().decode(form.group(3)));
    }
    return config.plain()
        && PLAIN.matcher(signature).matches()
        && plain(
            orderId + ":" + productId, HexFormat.of().parseHex(signature.toLowerCase(Locale.ROOT)));
  }

  /// A signature in the current form, as a seller's system makes it.
  static String sign(String keyId, String secret, long expiry, String orderId, String productId) {
    String until = Long.toString(expiry);
    byte[] mac = mac(secret, fields(keyId, until, orderId, productId));
    return "v1."
        + keyId
        + "."
        + until
        + "."
        + Base64.getUrlEncoder().withoutPadding().encodeToString(mac);
  }

  private boolean plain(String message, byte[] signature) {
    boolean right = false;
    for (Map.Entry<String, String> key : config.keys().entrySet()) {
      right |= same(mac(key.getValue(), message), signature);
    }
    return right;
  }

  private static String fields(String keyId, String expiry, String orderId, String productId) {
    StringBuilder all = new StringBuilder();
    for (String field : new String[] {"fairgate-claim-v1", keyId, expiry, orderId, productId}) {
      all.append(field.getBytes(StandardCharsets.UTF_8).length).append(':').append(field);
    }
    return all.toString();
  }

  private static byte[] mac(String secret, String message) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return mac.doFinal(message.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
    }
  }

  private static boolean same(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }
}
