package fairgate.redeem;

import fairgate.kernel.OrderId;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Request;
import fairgate.redeem.orders.OrderText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/// The content of the claim form, from the visitor or from a seller's link.
///
/// @param text pasted text
/// @param product empty when absent
/// @param platform empty when absent
/// @param signature empty when absent
record ClaimForm(String text, String product, String platform, String signature) {
  private static final int LONGEST = 256;

  /// Parses the query of a link: `/claim?product=basic&order=...&signature=...`.
  static ClaimForm ofLink(Request request) {
    return new ClaimForm(
        cut(query(request, "order"), OrderText.MAX_LENGTH),
        cut(query(request, "product"), LONGEST),
        cut(query(request, "platform"), LONGEST),
        cut(query(request, "signature"), LONGEST));
  }

  static ClaimForm ofBody(Request request) {
    return new ClaimForm(
        cut(FormBody.field(request, "order").orElse(""), OrderText.MAX_LENGTH),
        cut(FormBody.field(request, "product").orElse("").strip(), LONGEST),
        cut(FormBody.field(request, "platform").orElse(""), LONGEST),
        cut(FormBody.field(request, "signature").orElse(""), LONGEST));
  }

  /// The product in the order number, as Fairgate's own numbers have it; otherwise the one of the
  /// form.
  String productOf(String orderId) {
    return OrderId.isValid(orderId) ? new OrderId(orderId).product().value() : product;
  }

  Optional<String> platformIfAny() {
    return Optional.of(platform).filter(name -> !name.isEmpty());
  }

  Optional<String> signatureIfAny() {
    return Optional.of(signature).filter(text -> !text.isEmpty());
  }

  /// The browser's device id for claims: constant while it keeps its cookie, but not the cookie
  /// itself.
  static String deviceId(Request request) {
    try {
      byte[] id = request.device().id().value().getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(id);
      return "web_" + HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This JVM has no SHA-256", e);
    }
  }

  private static String query(Request request, String name) {
    String value = request.query(name);
    return value == null ? "" : value;
  }

  private static String cut(String text, int longest) {
    return text.length() > longest ? text.substring(0, longest) : text;
  }
}
