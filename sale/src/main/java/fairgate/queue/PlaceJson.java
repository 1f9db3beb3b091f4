package fairgate.queue;

import fairgate.platform.json.JsonText;

/// Writes the queue status as JSON: the fields of seed 000, then those of Fairgate.
final class PlaceJson {
  private PlaceJson() {}

  static byte[] bytes(PlaceView view) {
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
    if (place.status() != QueueStatus.EXPIRED) {
      json.put("session_expires_at", place.now() + place.sessionLife().toMillis());
    }
    if (place.status() == QueueStatus.READY_TO_PURCHASE) {
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
    return json.bytes();
  }
}
