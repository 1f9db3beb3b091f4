package fairgate.room;

import fairgate.kernel.OrderDraws;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.room.token.RoomTokens;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes heads: JSON in the canonical form of RFC 8785, so that what is signed is what is sent
/// without `sig`.
record HeadWriter(RoomTokens tokens) {
  /// How often a browser asks: its time to wait divided by `DIVISOR`, within these ms.
  private static final int POLL_MIN = 2_000;

  private static final int POLL_MAX = 30_000;
  private static final int POLL_DIVISOR = 20;

  /// A signed head.
  ///
  /// @param draw the announced draw; null for none, or when its time is not known
  byte[] write(Room room, HeadFacts facts, OrderDraws.State.@Nullable Waiting draw) {
    Map<String, Object> head = new TreeMap<>();
    head.put("v", 1);
    head.put("room", room.id());
    head.put("epoch", facts.epoch());
    head.put("seq", facts.sequence());
    head.put("phase", facts.phase().word());
    head.put("issued", facts.issuedAt() / 1_000);
    head.put("cursor", facts.cursor());
    head.put("last", facts.last());
    head.put("block", RoomNode.BLOCK_BITS);
    head.put("gone", Arrays.stream(facts.gone()).boxed().toList());
    head.put("rate", Arrays.stream(facts.rates()).mapToObj(HeadWriter::number).toList());
    head.put("poll", new TreeMap<>(Map.of("min", POLL_MIN, "max", POLL_MAX, "div", POLL_DIVISOR)));
    facts.stockLeft().ifPresent(left -> head.put("stock", new TreeMap<>(stock(facts, left))));
    Map<String, String> messages = new TreeMap<>();
    for (Map.Entry<Language, String> one : room.look().messages().entrySet()) {
      messages.put(one.getKey().tag(), one.getValue());
    }
    if (!messages.isEmpty()) {
      head.put("msg", messages);
    }
    Instant opens = room.opening().opensAt();
    if (opens != null && facts.phase() == Room.Phase.BEFORE) {
      head.put("opens", opens.getEpochSecond());
      head.put("order", room.opening().preQueue().word());
    }
    if (draw != null && facts.drawn() == 0) {
      head.put("draw", new TreeMap<>(Map.of("n", draw.tickets(), "at", draw.drawsAt())));
    }
    if (facts.drawn() > 0) {
      TreeMap<String, Object> drawn = new TreeMap<>();
      drawn.put("n", facts.drawn());
      drawn.put("seed", facts.seed());
      if (facts.drawnEpoch() > 0) {
        // The epoch of the draw in the public record.
        drawn.put("epoch", facts.drawnEpoch());
      }
      head.put("drawn", drawn);
    }
    return signed(room, head);
  }

  /// The head, marked as stale: Redis is away, and nothing newer is known.
  byte[] stale(Room room, byte[] head) {
    JsonObject had = Json.parseObject(head);
    Map<String, Object> members = new TreeMap<>();
    had.names().forEach(name -> members.put(name, plain(had.get(name))));
    members.put("stale", true);
    return signed(room, members);
  }

  private byte[] signed(Room room, Map<String, Object> head) {
    head.remove("sig");
    head.put("sig", tokens.signHead(room.id(), json(head)));
    return json(head);
  }

  private static Object plain(@Nullable Object value) {
    if (value instanceof JsonObject object) {
      Map<String, Object> members = new TreeMap<>();
      object.names().forEach(name -> members.put(name, plain(object.get(name))));
      return members;
    }
    return value instanceof Double number ? number(number) : Objects.requireNonNull(value);
  }

  /// The units left, and the tickets before which they probably last.
  private static Map<String, Object> stock(HeadFacts facts, long left) {
    StockForecast forecast = new StockForecast(left, facts.stockShare());
    return Map.of(
        "left",
        left,
        "p50",
        facts.ticketAfter(forecast.visitors(StockForecast.HALF)),
        "p90",
        facts.ticketAfter(forecast.visitors(StockForecast.NINE_TENTHS)));
  }

  private static byte[] json(Map<String, Object> members) {
    JsonText json = JsonText.object();
    members.forEach(json::putAny);
    return json.bytes();
  }

  /// The shortest form of a number with one decimal.
  private static BigDecimal number(double value) {
    BigDecimal rounded = BigDecimal.valueOf(value).setScale(1, RoundingMode.HALF_UP);
    return new BigDecimal(rounded.stripTrailingZeros().toPlainString());
  }

  /// How many visitors the stock lasts for, when each takes `share` units on average: a sum of
  /// independent decisions, in the normal approximation.
  ///
  /// @param left units left
  /// @param share units per admitted visitor, above 0
  record StockForecast(long left, double share) {
    /// Quantiles of the normal distribution: with which certainty the stock has run out.
    static final double HALF = 0;

    static final double NINE_TENTHS = 1.2816;

    /// The number of visitors after which the stock has run out with this certainty: the solution
    /// of `n share - quantile sqrt(n share (1 - share)) = left`. For shares above 1 there is no
    /// spread.
    double visitors(double quantile) {
      double spread = quantile * Math.sqrt(share * Math.max(0, 1 - share));
      double root = (spread + Math.sqrt(spread * spread + 4 * share * left)) / (2 * share);
      return root * root;
    }
  }
}
