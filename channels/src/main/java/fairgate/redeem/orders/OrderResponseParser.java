package fairgate.redeem.orders;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.redeem.orders.OrderSources.OrderLookup;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unavailable;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unreadable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import org.jspecify.annotations.Nullable;

/// Parses responses of the order system: JSON with `product_id` and `status`, and optionally
/// `order_id` (in its canonical case), `platform` and `expires_at` (ISO 8601). A time without an
/// offset is local time, and a date without a time is the end of that day.
///
/// @param zone of local times
record OrderResponseParser(OrderNumberFormats shapes, ZoneId zone) {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  private static final int DATE_LENGTH = "2026-01-15".length();

  OrderLookup read(String orderId, byte[] body) {
    JsonObject json;
    try {
      json = Json.parseObject(body);
    } catch (JsonSyntaxException e) {
      return away("its answer is no JSON object");
    }
    if (!(json.get("status") instanceof String status)) {
      return away("its answer has no status");
    }
    String written = json.get("order_id") instanceof String named ? named : orderId;
    if (!written.equalsIgnoreCase(orderId)) {
      return unusable("it answered with another order");
    }
    KnownOrder.State state = KnownOrder.State.of(status);
    String product = id(json.get("product_id"));
    if (product == null && state == KnownOrder.State.PAID) {
      return unusable("its answer has no product_id");
    }
    Instant expiry;
    try {
      expiry = instant(json.get("expires_at"));
    } catch (DateTimeException e) {
      return unusable("its expires_at is no ISO 8601 time");
    }
    return new OrderLookup.Found(
        new KnownOrder(
            platform(json.get("platform")),
            written,
            product == null ? "" : product,
            state,
            expiry));
  }

  /// An order is redeemed once per platform and number, so the platform must depend on the order
  /// alone, never on the request.
  private String platform(@Nullable Object named) {
    return named instanceof String platform
            && shapes.knows(platform)
            && !platform.equals(OrderNumberFormats.OWN)
        ? platform
        : OrderNumberFormats.REMOTE;
  }

  private static @Nullable String id(@Nullable Object value) {
    return switch (value) {
      case String text -> text;
      case Long number -> number.toString();
      case null, default -> null;
    };
  }

  private @Nullable Instant instant(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case String text when text.isEmpty() -> null;
      case String text when text.length() == DATE_LENGTH ->
          LocalDate.parse(text).plusDays(1).atStartOfDay(zone).toInstant();
      case String text -> time(text.replace(' ', 'T'));
      case Object other -> throw new DateTimeException("not a text: " + other);
    };
  }

  private Instant time(String text) {
    TemporalAccessor time =
        DateTimeFormatter.ISO_DATE_TIME.parseBest(text, OffsetDateTime::from, LocalDateTime::from);
    return time instanceof LocalDateTime local
        ? local.atZone(zone).toInstant()
        : Instant.from(time);
  }

  /// The answer is no order at all: perhaps an error of the system.
  private static OrderLookup away(String reason) {
    return new Unavailable(reason, RETRY_AFTER);
  }

  private static OrderLookup unusable(String reason) {
    return new Unreadable(reason);
  }
}
