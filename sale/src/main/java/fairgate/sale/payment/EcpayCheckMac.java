package fairgate.sale.payment;

import fairgate.kernel.Hashes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// The `CheckMacValue` of ECPay (developers.ecpay.com.tw/?p=2902): SHA-256 over the fields in the
/// order of their names regardless of case, between hash key and hash IV, URL-encoded as .NET does
/// and in lower case.
final class EcpayCheckMac {
  static final String FIELD = "CheckMacValue";

  private EcpayCheckMac() {}

  /// @param fields the field `CheckMacValue` itself does not count
  static String of(Map<String, String> fields, String hashKey, String hashIv) {
    String joined =
        fields.entrySet().stream()
            .filter(field -> !field.getKey().equals(FIELD))
            .sorted(Map.Entry.comparingByKey(Comparator.comparing(k -> k.toLowerCase(Locale.ROOT))))
            .map(field -> field.getKey() + '=' + field.getValue())
            .collect(Collectors.joining("&"));
    String text = "HashKey=" + hashKey + '&' + joined + "&HashIV=" + hashIv;
    String encoded =
        FormText.encoded(text)
            .toLowerCase(Locale.ROOT)
            .replace("%21", "!")
            .replace("%28", "(")
            .replace("%29", ")");
    return HexFormat.of().withUpperCase().formatHex(Hashes.sha256(encoded));
  }

  /// Whether the fields have the right check value. Takes the same time wherever they differ.
  static boolean isValid(Map<String, String> fields, String hashKey, String hashIv) {
    byte[] expected = of(fields, hashKey, hashIv).getBytes(StandardCharsets.US_ASCII);
    String given = fields.getOrDefault(FIELD, "");
    return MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8));
  }
}
