package fairgate.ticket;

import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.json.EcKey;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import fairgate.platform.json.Jws;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Signs and verifies the text of QR codes: a compact JWS (ES256) with the product as `aud` and the
/// ticket's id as `jti`, and nothing about the person. Each product has keys of its own, derived
/// from the master keys; their ids are `{product}.ticket.{master key id}`.
final class TicketKeys {
  static final int MAX_LENGTH = 512;

  private static final String TYPE = "fg-ticket+jwt";
  private static final String PURPOSE = "fairgate/ticket/";
  private static final String INFIX = ".ticket.";

  private final KeyRing master;
  private final ConcurrentMap<String, EcKey> keys = new ConcurrentHashMap<>();

  TicketKeys(KeyRing master) {
    this.master = master;
  }

  record Claims(ProductId product, TicketId ticket) {}

  /// The signed text. Signatures differ each time.
  String sign(ProductId product, TicketId ticket) {
    EcKey key = key(product, master.current());
    String header =
        JsonText.object().put("alg", "ES256").put("kid", key.id()).put("typ", TYPE).toString();
    String claims =
        JsonText.object().put("aud", product.value()).put("jti", ticket.value()).toString();
    String input = Jws.encoded(header) + '.' + Jws.encoded(claims);
    return input + '.' + Jws.encoded(Jws.sign(Jws.ES256, key.secret(), ascii(input)));
  }

  /// The claims of a text that this server signed, for whichever product; else empty.
  Optional<Claims> verify(String text) {
    return text.length() > MAX_LENGTH ? Optional.empty() : Jws.parts(text).flatMap(this::verified);
  }

  private Optional<Claims> verified(Jws.Parts parts) {
    try {
      JsonObject header = Json.parseObject(parts.header());
      if (header.size() != 3
          || !"ES256".equals(header.get("alg"))
          || !TYPE.equals(header.get("typ"))
          || !(header.get("kid") instanceof String keyId)) {
        return Optional.empty();
      }
      JsonObject claims = Json.parseObject(parts.payload());
      return claims.get("aud") instanceof String product
              && ProductId.isValid(product)
              && claims.get("jti") instanceof String id
              && TicketId.isValid(id)
          ? find(new ProductId(product), keyId)
              .filter(
                  key -> Jws.verify(Jws.ES256, key.open(), ascii(parts.input()), parts.signature()))
              .map(_ -> new Claims(new ProductId(product), new TicketId(id)))
          : Optional.empty();
    } catch (JsonSyntaxException notJson) {
      return Optional.empty();
    }
  }

  /// The public keys of a product as a JWK set (RFC 7517).
  byte[] jwks(ProductId product) {
    JsonText all = JsonText.array();
    for (String id : master.ids()) {
      all = all.add(key(product, id).jwk(TYPE));
    }
    return JsonText.object().put("keys", all).bytes();
  }

  private Optional<EcKey> find(ProductId product, String keyId) {
    String prefix = product.value() + INFIX;
    return keyId.startsWith(prefix) && master.knows(keyId.substring(prefix.length()))
        ? Optional.of(key(product, keyId.substring(prefix.length())))
        : Optional.empty();
  }

  private EcKey key(ProductId product, String masterId) {
    return keys.computeIfAbsent(
        product.value() + INFIX + masterId,
        id -> EcKey.derived(master, masterId, PURPOSE + product.value(), id));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
