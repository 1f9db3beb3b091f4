package fairgate.sale.webhook;

import fairgate.kernel.ProductId;
import fairgate.platform.json.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The webhook messages of orders, for operators. Blocks: for virtual threads.
public interface OrderMessages {
  /// A message.
  ///
  /// @param state `due`, `done` or `failed`
  /// @param answer the receiver's last answer
  record Sent(
      String id, String type, String state, int tries, @Nullable String answer, Instant createdAt) {
    public Cursor cursor() {
      return new Cursor(createdAt.getEpochSecond() * 1_000_000 + createdAt.getNano() / 1_000, id);
    }

    public JsonText json() {
      return JsonText.object()
          .put("id", id)
          .put("type", type)
          .put("state", state)
          .put("tries", tries)
          .put("answer", answer)
          .put("created_at", createdAt.toEpochMilli());
    }
  }

  /// The id of the message of an outbox event.
  static String id(ProductId product, long epoch, long seq) {
    return "evt_%s_%d_%d".formatted(product.value(), epoch, seq);
  }

  /// The messages with these ids that are still kept, oldest first.
  List<Sent> of(List<String> ids);

  /// Messages in one state, or in all of them, newest first.
  ///
  /// @param state `due`, `done` or `failed`; null for all
  /// @param before only messages before this one; null for the newest
  List<Sent> page(@Nullable String state, @Nullable Cursor before, int limit);

  /// The position of a message in the list.
  ///
  /// @param micros its time since the epoch
  record Cursor(long micros, String id) {}

  /// Sends a message of the type `webhook.test`, which belongs to no order. Empty when no receiver
  /// is configured.
  Optional<String> test(String id);

  /// Sends the newest of the messages again, with the same id. Returns it; empty when none is kept.
  Optional<String> resend(List<String> ids);
}
