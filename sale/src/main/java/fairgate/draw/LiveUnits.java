package fairgate.draw;

import fairgate.catalog.Product;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.LiveCounters;
import fairgate.sale.SaleFeature;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The units of sales as Redis counts them at this moment.
record LiveUnits(SaleFeature sale) {
  private static final int COUNT_SECONDS = 5;

  /// The units that are gone, and the people who could take more.
  ///
  /// @param units sold or reserved
  /// @param buyers people in the queue, and winners whose offers are open
  record Taken(long units, long buyers) {}

  /// Units sold or reserved, and people who can still buy. Blocks; throws ServiceUnavailable while
  /// Redis does not know it for certain, or has an older version of the product.
  Taken taken(Product product) {
    LiveCounters live = live(product.id());
    if (isBehind(live, product)) {
      // A new or changed sale, or one that Redis has lost: the periodic comparison may be a minute
      // away.
      sale.sync().sync(product);
      live = live(product.id());
    }
    if (isBehind(live, product) || !live.trusted() || !live.balanced()) {
      throw new ServiceUnavailable("the units of the sale are not certain", Duration.ofSeconds(1));
    }
    return new Taken(live.held() + live.confirmed(), live.waiting() + live.active());
  }

  /// Whether Redis counts by an older policy: buyers may still join the sale.
  private static boolean isBehind(LiveCounters live, Product product) {
    return !live.known() || live.version() < product.version();
  }

  private LiveCounters live(ProductId product) {
    try {
      return sale.service().live(product).await(COUNT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(1));
    }
  }
}
