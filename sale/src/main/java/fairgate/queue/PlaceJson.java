package fairgate.queue;

import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import java.util.Map;

/// Writes the queue status as JSON: the fields of seed 000, then those of Fairgate.
final class PlaceJson {
  private PlaceJson() {}

  /// @param notice what operators tell everybody who waits; empty for none
  static byte[] bytes(Place.View view, Map<Language, String> notice) {
    Place place = view.place();
    JsonText json =
        JsonText.object()
            .put("session_id", place.session().value())
            .put("queue_status", place.status().wire())
            .put("queue_position_waiting", place.waitingPosition())
            .put("queue_position_active", place.activePosition())
            .put("total_in_waiting", place.waitingTotal())
            .put("total_in_active", place.activeTotal())
            .put("estimated_wait_time", place.estimatedWaitSeconds())
            .put("product_id", place.product().value())
            .put("people_ahead", place.ahead())
            .put("people_in_line", place.inLine())
            .put("poll_after_ms", place.pollAfterMs())
            .put("sale_status", place.soldOut() ? "sold_out" : place.saleState())
            .put("server_time", place.now());
    if (place.tier() > 0) {
      json.put("tier", place.tier()).put("tier_position", place.tierPosition());
    }
    addSeat(json, place);
    if (place.status() != Place.Status.EXPIRED) {
      json.put("session_expires_at", place.now() + place.sessionLife().toMillis());
    }
    if (place.status() == Place.Status.READY_TO_PURCHASE) {
      json.put("purchase_ready_at", place.readyAt()).put("purchase_timeout_at", place.timeoutAt());
    }
    String token = view.token();
    if (token != null) {
      json.put("purchase_token", token).put("purchase_token_expires_at", view.tokenExpiresAt());
    }
    if (!place.order().isEmpty()) {
      json.put("order_id", place.order());
    }
    if (!place.ended().isEmpty()) {
      json.put("ended", place.ended());
    }
    if (place.pauseMs() > 0) {
      json.put("rejoin_at", place.now() + place.pauseMs());
    }
    if (!notice.isEmpty()) {
      json.put("notice", texts(notice));
    }
    return json.bytes();
  }

  static JsonText texts(Map<Language, String> texts) {
    JsonText json = JsonText.object();
    texts.forEach((language, text) -> json.put(language.tag(), text));
    return json;
  }

  private static void addSeat(JsonText json, Place place) {
    if (!place.seat().isEmpty()) {
      json.put("seat", place.seat())
          .put("decision_id", place.decision())
          .put("appeal_url", "/appeal/" + place.decision());
    }
  }
}
