package fairgate.queue;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.Caller;
import fairgate.kernel.ProductId;
import java.time.Duration;

/// Chooses the joins without a valid challenge whose decision on risk is recorded: the first of
/// each address, sale and minute. Such a join costs its caller nothing, and nobody is told its
/// decision. Bounded; safe for use by any thread.
final class FailedJoinSample {
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MAX_ADDRESSES = 10_000;

  private final CallerNetworks networks;
  private final Cache<String, Boolean> recorded =
      Caffeine.newBuilder().maximumSize(MAX_ADDRESSES).expireAfterWrite(PERIOD).build();

  /// @param networks by which an IPv6 address counts with its /64
  FailedJoinSample(CallerNetworks networks) {
    this.networks = networks;
  }

  boolean records(ProductId product, Caller caller) {
    String address =
        networks.of(product, caller).stream().findFirst().orElseGet(caller.address()::text);
    String key = product.value() + ' ' + address;
    return recorded.asMap().putIfAbsent(key, true) == null;
  }
}
