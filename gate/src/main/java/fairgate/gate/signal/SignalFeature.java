package fairgate.gate.signal;

import fairgate.gate.ban.Networks;
import fairgate.gate.challenge.HashingPool;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.signal.PlaceSource.Places;
import fairgate.gate.signal.SaleSource.Sales;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Wires the signals: the sources of features, the guard that verifies device keys, and the list of
/// hot clients.
public final class SignalFeature implements AutoCloseable {
  private final HashingPool pool;
  private final DeviceKeys keys;
  private final Predicate<ProductId> requiresKey;
  private final Predicate<Caller> isExempt;
  private final FingerprintSource fingerprints;
  private final CrowdSource crowd;
  private final PollSource polls;
  private final HotClients hot;
  private final List<FeatureSource> sources;

  private SignalFeature(SignalConfig config, Dependencies parts) {
    SignalKeys names = new SignalKeys(parts.keys(), parts.eventPrefix());
    Clock clock = parts.clock();
    this.isExempt = parts.isExempt();
    this.requiresKey = product -> requiresKey(parts.sales(), product);
    this.pool = new HashingPool(parts.vertx(), "device-proof");
    this.keys = new DeviceKeys(parts.redis(), names, parts.places(), clock, pool, parts.metrics());
    this.fingerprints = new FingerprintSource(new SharedByScript(parts.redis()), names, clock);
    this.crowd = new CrowdSource(clock);
    this.polls = new PollSource(clock);
    this.hot =
        new HotClients(fingerprints, parts.keys(), clock, parts.metrics(), config.alarmFailures());
    List<FeatureSource> all =
        List.of(
            new TransportSource(config.transport()),
            new NetworkSource(parts.networks(), parts.isAllowed(), clock),
            new DeviceKeySource(keys, clock),
            new PlaceSource(keys),
            new SaleSource(parts.sales(), clock),
            fingerprints,
            crowd,
            new ChallengeSource(clock),
            polls,
            hot);
    this.sources =
        config.behavior()
            ? Stream.concat(all.stream(), Stream.of(new BehaviorSource(clock))).toList()
            : all;
  }

  /// The dependencies of signals.
  ///
  /// @param isAllowed whether a caller is on the allow-list
  /// @param isExempt whether an appeal of the caller was granted
  /// @param eventPrefix maps a product id to the prefix of its sale's Redis keys
  public record Dependencies(
      Vertx vertx,
      RedisClient redis,
      KeyRing keys,
      Clock clock,
      Metrics metrics,
      Networks networks,
      Places places,
      Predicate<Caller> isAllowed,
      Predicate<Caller> isExempt,
      Sales sales,
      UnaryOperator<String> eventPrefix) {}

  private static boolean requiresKey(Sales sales, ProductId product) {
    return sales.find(product).filter(Sales.Sale::requiresDeviceKey).isPresent();
  }

  public static SignalFeature wire(SignalConfig config, Dependencies parts) {
    return new SignalFeature(config, parts);
  }

  public List<FeatureSource> sources() {
    return sources;
  }

  /// Its part of the admin API: the clients with the most refused requests.
  public List<Route> adminRoutes(AdminGuard admin) {
    return new HotClientAdmin(hot).routes(admin);
  }

  /// A guard that verifies device keys after the other guards.
  public Guard guard(@Nullable Guard first) {
    return new DeviceKeyGuard(first, keys, requiresKey, isExempt);
  }

  /// A join has given or found a place. A failure matters only where a purchase will need the key;
  /// the caller then repeats the join.
  public Future<Void> joined(Request request, ProductId product, SessionId session) {
    Future<Void> stored = keys.joined(request, product, session);
    Future<Void> key = requiresKey.test(product) ? stored : stored.otherwiseEmpty();
    Future<Void> fingerprint = fingerprints.joined(request, product).otherwiseEmpty();
    return key.compose(_ -> fingerprint);
  }

  /// The challenge of a join was accepted.
  ///
  /// @param placed whether the join gave a new place
  public void accepted(ProductId product, Caller caller, boolean placed) {
    crowd.accepted(product, caller, placed);
  }

  /// A place has asked for its status, and was asked to wait that long before the next time.
  public void polled(SessionId session, long pauseMillis) {
    polls.polled(session, pauseMillis);
  }

  public void registered(String account, ClientAddress address) {
    crowd.registered(account, address);
  }

  public void refused(Request request, ErrorCode code) {
    hot.refused(request, code);
  }

  @Override
  public void close() {
    pool.close();
  }
}
