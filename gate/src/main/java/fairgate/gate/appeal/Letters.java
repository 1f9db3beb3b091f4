package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Letter;
import fairgate.gate.appeal.PostgresAppeals.Stored;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Encrypts the letters of appeals, and makes the receipts that show an appeal to their bearers.
final class Letters {
  private static final Logger LOG = LoggerFactory.getLogger(Letters.class);

  /// Letters and digits that are not mistaken for each other.
  private static final String RECEIPT_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

  private static final int RECEIPT_LENGTH = 12;

  private final KeyRing keys;
  private final Ids ids;
  private final KeySeal seal;

  Letters(KeyRing keys, Ids ids) {
    this.keys = keys;
    this.ids = ids;
    this.seal = new KeySeal(keys, ids, "appeal-letter");
  }

  /// Encrypts a letter.
  ///
  /// @param key what it is bound to
  KeySeal.Sealed seal(String key, Letter letter) {
    return seal.seal(
        key,
        JsonText.object()
            .put("text", letter.text())
            .put("contact", letter.contact())
            .put("client", letter.client())
            .put("device", letter.device())
            .bytes());
  }

  /// The letter of an appeal; null when it has been erased or cannot be read.
  @Nullable Letter open(Stored stored) {
    KeySeal.Sealed sealed = stored.letter();
    return sealed == null
        ? null
        : seal.open(stored.key(), sealed)
            .flatMap(it -> Optional.ofNullable(letter(it)))
            .orElse(null);
  }

  private static @Nullable Letter letter(byte[] bytes) {
    try {
      JsonObject json = Json.parseObject(bytes);
      return new Letter(
          text(json, "text"), text(json, "contact"), text(json, "client"), text(json, "device"));
    } catch (JsonSyntaxException e) {
      LOG.warn("The letter of an appeal cannot be read; cause={}", e.getMessage());
      return null;
    }
  }

  private static String text(JsonObject json, String name) {
    return json.get(name) instanceof String text ? text : "";
  }

  String receipt() {
    byte[] random = Base64.getUrlDecoder().decode(ids.nonce());
    StringBuilder receipt = new StringBuilder(RECEIPT_LENGTH);
    for (int i = 0; i < RECEIPT_LENGTH; i++) {
      receipt.append(RECEIPT_LETTERS.charAt(random[i] & 31));
    }
    return receipt.toString();
  }

  /// The keyed hash of a receipt. Spaces, hyphens and case do not matter.
  String receiptHash(String key, String receipt) {
    String letters = receipt.replaceAll("[\\s-]", "").toUpperCase(Locale.ROOT);
    return keys.fingerprint("appeal-receipt", key + '|' + letters);
  }

  boolean isReceiptOf(Stored stored, String receipt) {
    byte[] given = receiptHash(stored.key(), receipt).getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(given, stored.receipt().getBytes(StandardCharsets.UTF_8));
  }
}
