package fairgate.draw;

import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.draw.DrawAllocation.ClaimTimes;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.tlog.VerifierKey;
import fairgate.kernel.BidiControls;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.json.JsonText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// The rules of a new draw, as operators send them. Reading throws InvalidRequest with the name of
/// the first bad field.
public final class RulesDraft {
  public static final List<String> FIELDS =
      List.of(
          "id",
          "product_id",
          "title",
          "stock",
          "holdbacks",
          "max_quantity",
          "opens_at",
          "closes_at",
          "seal_margin_seconds",
          "claim_minutes",
          "allocate_until",
          "fit",
          "eligibility",
          "zone",
          "audit");

  private static final String ID = "[a-z0-9][a-z0-9-]{0,39}";
  private static final long MAX_UNITS = 1_000_000_000;
  private static final int LONGEST_TEXT = 2_000;
  private static final int LONGEST_TITLE = 120;
  private static final int MAX_HOLDBACKS = 20;
  private static final int DEFAULT_MARGIN = 600;
  private static final int DAY = 86_400;
  private static final long YEAR_2200 = 7_258_118_400L;
  private static final int MAX_CLAIM_MINUTES = 7 * 1_440;

  /// Time for witnesses to sign the seal, before the round.
  private static final long WITNESS_SECONDS = 60;

  private static final int FALLBACKS = 3;
  private static final long FALLBACK_SECONDS = 2_700;

  private RulesDraft() {}

  /// The rules of the draw that the body describes.
  ///
  /// @param product the sale of the draw
  /// @param free the units of the sale that are neither sold nor reserved
  /// @param now seconds since 1970
  static DrawRules read(
      JsonBody body, Product product, LongSupplier free, DrawFeature.Config config, long now) {
    String id = body.text("id");
    if (!id.matches(ID)) {
      throw body.problem("id", "draw_id");
    }
    SalePolicy policy = product.policy();
    if (policy.fairness().preQueue() != SalePolicy.PreQueue.DRAW) {
      throw body.problem("product_id", "draw_sale");
    }
    if (policy.fairness().deviceKeyRequired()) {
      throw body.problem("product_id", "draw_device_key");
    }
    long open = time(body, "opens_at").orElseThrow(() -> body.problem("opens_at", "missing"));
    long close = time(body, "closes_at").orElseThrow(() -> body.problem("closes_at", "missing"));
    if (open < now) {
      throw body.problem("opens_at", "draw_times");
    }
    if (close <= open) {
      throw body.problem("closes_at", "draw_times");
    }
    int margin = body.optionalInteger("seal_margin_seconds", 1, DAY, DEFAULT_MARGIN);
    BeaconChain chain = config.chain();
    long round = chain.roundAt(close + margin);
    long claimMinutes = body.optionalInteger("claim_minutes", 1, MAX_CLAIM_MINUTES, 30);
    ZoneId zone = zone(body, config);
    long drawnMs = Duration.ofSeconds(chain.timeOf(round)).toMillis();
    checkEnd(body, product, Instant.ofEpochMilli(ClaimTimes.endOf(drawnMs, claimMinutes, zone)));
    JsonText json =
        JsonText.object()
            .put("draw", id)
            .put("title", title(body, product))
            .put("product", product.id().value())
            .put("open", open)
            .put("close", close)
            .put("seal_by", chain.timeOf(round) - witnessing(config, margin))
            .put("beacon", chain.hash())
            .put("round", round)
            .putAny("fallback_rounds", fallbacks(chain, round))
            .put("order", DrawRules.ORDER)
            .putAny("witnesses", config.witnesses().keys().stream().map(VerifierKey::text).toList())
            .put("quorum", config.witnesses().quorum())
            .put("per_person", 1)
            .put("fit", fit(body))
            .put("claim_minutes", claimMinutes)
            .put("zone", zone.getId())
            .put("audit", body.optionalInteger("audit", 0, 100_000, 0));
    config
        .secondChain()
        .ifPresent(second -> json.put("second_beacon", second(second, chain, round)));
    units(body, product, free, json);
    String eligibility = body.optionalText("eligibility", 1, LONGEST_TEXT);
    json.put(
        "eligibility",
        eligibility == null
            ? "identity: " + policy.fairness().identity().word()
            : readable(body, "eligibility", eligibility));
    time(body, "allocate_until").ifPresent(until -> json.put("allocate_until", until));
    return DrawRules.canonical(json.toString())
        .orElseThrow(() -> new InvalidRequest("", "draw_rules"));
  }

  /// Offers are made only while the sale is open.
  ///
  /// @param claimed when the first offers end
  private static void checkEnd(JsonBody body, Product product, Instant claimed) {
    Instant ends = product.policy().schedule().closesAt();
    boolean isEarly = ends != null && ends.isBefore(claimed);
    if (isEarly || product.state() == ProductState.CLOSED) {
      throw body.problem("product_id", "draw_closed", claimed);
    }
  }

  /// Seconds before the round by which the list must be sealed.
  private static long witnessing(DrawFeature.Config config, int margin) {
    return config.witnesses().quorum() > 0 && margin > WITNESS_SECONDS ? WITNESS_SECONDS : 1;
  }

  private static String title(JsonBody body, Product product) {
    String own = body.optionalText("title", 1, LONGEST_TITLE);
    String title = own == null ? product.details().name() : own;
    if (title.chars().anyMatch(Character::isISOControl)) {
      throw body.problem("title", "not_line", LONGEST_TITLE);
    }
    return readable(body, "title", title);
  }

  private static String readable(JsonBody body, String field, String text) {
    if (BidiControls.in(text)) {
      throw body.problem(field, "direction_control");
    }
    return text;
  }

  private static List<Long> fallbacks(BeaconChain chain, long round) {
    return LongStream.rangeClosed(1, FALLBACKS)
        .map(i -> chain.roundAt(chain.timeOf(round) + i * FALLBACK_SECONDS))
        .boxed()
        .toList();
  }

  /// The round of the second chain, after the last fallback round of the first.
  private static JsonText second(BeaconChain second, BeaconChain chain, long round) {
    long after = chain.timeOf(round) + (FALLBACKS + 1) * FALLBACK_SECONDS;
    return JsonText.object().put("beacon", second.hash()).put("round", second.roundAt(after));
  }

  private static String fit(JsonBody body) {
    String fit = body.optionalText("fit");
    if (fit != null && !fit.equals("stop") && !fit.equals("skip")) {
      throw body.problem("fit", "not_one_of", "stop, skip");
    }
    return fit == null ? "stop" : fit;
  }

  private static ZoneId zone(JsonBody body, DrawFeature.Config config) {
    String zone = body.optionalText("zone");
    try {
      return zone == null ? config.zone() : ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw body.problem("zone", "not_zone");
    }
  }

  /// The units in the draw are all free ones of the sale, so that no unit has a second way to a
  /// buyer.
  private static void units(JsonBody body, Product product, LongSupplier free, JsonText json) {
    long held = 0;
    JsonBody holdbacks = body.optionalObject("holdbacks");
    if (holdbacks != null) {
      JsonText named = JsonText.object();
      if (holdbacks.names().size() > MAX_HOLDBACKS) {
        throw body.problem("holdbacks", "too_many", MAX_HOLDBACKS);
      }
      for (String name : holdbacks.names()) {
        long units = holdbacks.longInteger(name, 0, MAX_UNITS);
        named.put(name, units);
        held += units;
      }
      json.put("holdbacks", named);
    }
    long inSale = free.getAsLong();
    long stock = body.optionalLongInteger("stock", 0, MAX_UNITS, inSale + held);
    if (stock - held != inSale) {
      throw body.problem("stock", "draw_stock", inSale);
    }
    json.put("stock", stock);
    int limit = mostPerBuyer(product.policy().limits());
    int quantity = body.optionalInteger("max_quantity", 1, Integer.MAX_VALUE, 1);
    if (quantity > limit) {
      throw body.problem("max_quantity", "draw_quantity", limit);
    }
    json.put("qty_max", quantity);
  }

  private static int mostPerBuyer(SalePolicy.Limits limits) {
    return Math.min(
        limits.maxQuantity(), Math.min(limit(limits.maxPerUser()), limit(limits.maxPerDevice())));
  }

  private static int limit(@Nullable Integer limit) {
    return limit == null ? Integer.MAX_VALUE : limit;
  }

  private static OptionalLong time(JsonBody body, String field) {
    String text = body.optionalText(field);
    if (text == null) {
      return OptionalLong.empty();
    }
    try {
      Instant at = OffsetDateTime.parse(text).toInstant();
      long seconds = at.getEpochSecond();
      if (seconds > 0 && seconds < YEAR_2200 && at.getNano() == 0) {
        return OptionalLong.of(seconds);
      }
    } catch (DateTimeException notATime) {
      // Falls through to the problem below.
    }
    throw body.problem(field, "not_instant");
  }
}
