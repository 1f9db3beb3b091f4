package fairgate.redeem;

import fairgate.redeem.ClaimOutcome.Reason;
import fairgate.redeem.orders.KnownOrder;
import fairgate.redeem.orders.OrderAnswer;
import fairgate.redeem.orders.OrderSources;
import fairgate.redeem.orders.PlatformShapes;
import fairgate.redeem.product.RedeemProducts;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out whether an order may be redeemed: redemptions and imported orders first, then the
/// sources behind them. Blocks; holds no transaction meanwhile.
final class Verification {
  private static final Logger LOG = LoggerFactory.getLogger(Verification.class);

  private final PostgresStandings standings;
  private final OrderSources sources;
  private final RedeemProducts products;
  private final InstantSource clock;

  Verification(
      PostgresStandings standings,
      OrderSources sources,
      RedeemProducts products,
      InstantSource clock) {
    this.standings = standings;
    this.sources = sources;
    this.products = products;
    this.clock = clock;
  }

  /// @param platforms those the number may belong to
  Verdict of(String orderId, String productId, List<String> platforms) {
    List<String> asked = new ArrayList<>(platforms);
    asked.add(PlatformShapes.REMOTE);
    List<Standing> known = standings.find(orderId, asked);
    for (Standing standing : known) {
      if (standing.redeemed() != null) {
        return new Verdict.Redeemed(standing.redeemed());
      }
    }
    List<KnownOrder> orders = known.stream().map(Standing::order).filter(Objects::nonNull).toList();
    if (orders.size() > 1) {
      return new Verdict.Ambiguous(orders.stream().map(KnownOrder::platform).toList());
    }
    return orders.isEmpty()
        ? elsewhere(orderId, productId, platforms)
        : judged(orders.getFirst(), true, productId);
  }

  private Verdict elsewhere(String orderId, String productId, List<String> platforms) {
    boolean own = platforms.contains(PlatformShapes.OWN);
    return switch (sources.find(orderId, own)) {
      case OrderAnswer.Found(KnownOrder order) -> judged(order, own, productId);
      case OrderAnswer.Unknown() -> new Verdict.Bad(Reason.ORDER_NOT_FOUND);
      case OrderAnswer.Unavailable(String reason, var retryAfter) -> {
        LOG.debug("an order cannot be verified: {}", reason);
        yield new Verdict.Unavailable(retryAfter);
      }
    };
  }

  private Verdict judged(KnownOrder order, boolean stored, String productId) {
    Reason problem = problem(order, productId);
    if (problem != null) {
      return new Verdict.Bad(problem);
    }
    return products
        .find(productId)
        .<Verdict>map(product -> new Verdict.Good(order, stored, product))
        .orElseGet(() -> new Verdict.Bad(Reason.PRODUCT_NOT_FOUND));
  }

  private @Nullable Reason problem(KnownOrder order, String productId) {
    return switch (order.state()) {
      case UNPAID -> Reason.ORDER_NOT_PAID;
      case REVOKED -> Reason.ORDER_REVOKED;
      case PAID -> {
        Instant expiry = order.expiresAt();
        if (!order.productId().equals(productId)) {
          yield Reason.ORDER_PRODUCT_MISMATCH;
        }
        yield expiry == null || expiry.isAfter(clock.instant()) ? null : Reason.ORDER_EXPIRED;
      }
    };
  }
}
