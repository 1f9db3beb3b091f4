package fairgate.gate.challenge;

import fairgate.gate.challenge.AltchaConfig.CostLevel;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// ChallengeResult of work with the wire protocol of ALTCHA v2 in its random mode, so both the
/// official widget and our own solver work.
///
/// A challenge contains its binding and the server's signature, and the script that acts on a
/// solution spends it. A challenge is valid for the browser and in the network that fetched it. One
/// that was fetched without a cookie is valid as well for requests without a cookie, which count by
/// address. The only state is the counts that set the cost.
public final class Altcha implements ChallengeProvider {
  private static final String PURPOSE = "altcha";
  private static final long LAST_COUNTER = 0xffff_ffffL;
  private static final String SETTINGS = JsonText.object().put("provider", "altcha").toString();

  /// A spent solution is remembered this long after its expiry, because nodes' clocks differ.
  private static final Duration MARGIN = Duration.ofMinutes(1);

  /// Up to this number of hashes (about 50 microseconds), verification runs on the event loop.
  private static final int CHEAP = 256;

  /// The least factor on the cost of a harder challenge, within the maximum factor.
  private static final int HARDER_FACTOR = 4;

  private final AltchaConfig config;
  private final ProofAlgorithm algorithm;
  private final KeyRing keys;
  private final Ids ids;
  private final Clock clock;
  private final CrowdMeter crowd;
  private final NetworkMeter networks;
  private final HashingPool pool;

  /// @param config must have no errors
  public Altcha(AltchaConfig config, ChallengeProvider.Dependencies seams) {
    this.config = config;
    this.algorithm = ProofAlgorithm.named(config.algorithm()).orElseThrow();
    this.keys = seams.keys();
    this.ids = seams.ids();
    this.clock = seams.clock();
    this.crowd = new CrowdMeter(config.crowd(), seams.clock());
    this.networks = new NetworkMeter(config.network(), seams.clock());
    this.pool = new HashingPool(seams.vertx(), "altcha");
  }

  @Override
  public String name() {
    return "altcha";
  }

  @Override
  public String settings() {
    return SETTINGS;
  }

  /// The challenge object of ALTCHA v2: `{"parameters": {...}, "signature": hex}`. The cost rises
  /// with this node's demand and with the challenges that the caller's network has solved; a
  /// challenge fetched earlier keeps its cost.
  @Override
  public String offer(ChallengeProvider.Context context) {
    String keyId = keys.current();
    String network = context.network();
    AltchaPayload.Parameters parameters =
        new AltchaPayload.Parameters(
            algorithm,
            cost(context, network),
            config.keyPrefix(),
            randomHex(),
            randomHex(),
            clock.instant().plus(config.life()).getEpochSecond(),
            keyId,
            context.action(),
            context.product().value(),
            bound(keyId, "altcha-network", network),
            boundDevice(keyId, context.device()),
            context.device().fresh(),
            clock.millis());
    String canonical = parameters.canonical();
    return JsonText.object()
        .putRaw("parameters", canonical)
        .put("signature", HexFormat.of().formatHex(keys.sign(keyId, PURPOSE, canonical)))
        .toString();
  }

  /// The cheapest checks come first, so garbage costs almost nothing and only a plausible solution
  /// is hashed.
  @Override
  public Future<ChallengeResult> verify(String token, ChallengeProvider.Context context) {
    Optional<AltchaPayload> read = AltchaPayload.read(token);
    if (read.isEmpty()) {
      return rejected("malformed");
    }
    AltchaPayload payload = read.get();
    String problem = problem(payload, context);
    if (problem != null) {
      return rejected(problem);
    }
    if (payload.parameters().cost() <= CHEAP) {
      return Future.succeededFuture(judge(payload, context));
    }
    return pool.run(() -> judge(payload, context), new ChallengeResult.Unavailable());
  }

  @Override
  public void close() {
    pool.close();
  }

  private @Nullable String problem(AltchaPayload payload, ChallengeProvider.Context context) {
    AltchaPayload.Parameters parameters = payload.parameters();
    if (parameters.expiresAt() <= clock.instant().getEpochSecond()) {
      return "expired";
    }
    byte[] signature = HexFormat.of().parseHex(payload.signature());
    if (!keys.verify(parameters.keyId(), PURPOSE, parameters.canonical(), signature)) {
      return "signature";
    }
    String derivedKey = payload.derivedKey();
    if (derivedKey.length() != 2 * ProofAlgorithm.KEY_LENGTH
        || !AltchaPayload.isLowerHex(derivedKey)
        || !derivedKey.startsWith(parameters.keyPrefix())) {
      return "solution";
    }
    if (payload.counter() < 0 || payload.counter() > LAST_COUNTER) {
      return "counter";
    }
    if (!isFor(parameters, context)) {
      return "made for something else";
    }
    if (context.harder() && parameters.cost() < costAt(HARDER_FACTOR)) {
      return "too easy";
    }
    return isIn(parameters, context) ? null : "made in another network";
  }

  private int cost(ChallengeProvider.Context context, String network) {
    long factor = (long) crowd.next() * networks.factor(context.product(), network);
    long least = context.harder() ? HARDER_FACTOR : 1;
    return costAt(Math.max(least, factor));
  }

  private int costAt(long factor) {
    return Math.multiplyExact(config.cost(), (int) Math.min(config.maxFactor(), factor));
  }

  private boolean isFor(AltchaPayload.Parameters parameters, ChallengeProvider.Context context) {
    boolean fresh = parameters.fresh() && context.device().fresh();
    return parameters.action().equals(context.action())
        && parameters.product().equals(context.product().value())
        && (fresh || parameters.device().equals(boundDevice(parameters.keyId(), context.device())));
  }

  private boolean isIn(AltchaPayload.Parameters parameters, ChallengeProvider.Context context) {
    String network = bound(parameters.keyId(), "altcha-network", context.network());
    return parameters.network().equals(network);
  }

  private ChallengeResult judge(AltchaPayload payload, ChallengeProvider.Context context) {
    AltchaPayload.Parameters parameters = payload.parameters();
    byte[] key = parameters.derive(payload.counter());
    if (!MessageDigest.isEqual(key, HexFormat.of().parseHex(payload.derivedKey()))) {
      return new ChallengeResult.Rejected("solution");
    }
    networks.solved(context.product(), context.network(), parameters.nonce());
    long left = parameters.expiresAt() - clock.instant().getEpochSecond();
    Duration remember = Duration.ofSeconds(Math.max(0, left)).plus(MARGIN);
    return new ChallengeResult.Accepted(
        new ChallengeResult.SingleUse(parameters.nonce(), remember));
  }

  private String boundDevice(String keyId, Device device) {
    return bound(keyId, "altcha-device", device.id().value());
  }

  /// A keyed hash, so that the challenge shows nothing about its holder.
  private String bound(String keyId, String purpose, String value) {
    byte[] hash = keys.sign(keyId, purpose, value);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, 12));
  }

  private String randomHex() {
    return HexFormat.of().formatHex(Base64.getUrlDecoder().decode(ids.nonce()));
  }

  private static Future<ChallengeResult> rejected(String reason) {
    return Future.succeededFuture(new ChallengeResult.Rejected(reason));
  }

  /// Measures the rate of challenge requests on this node, which sets the cost of each: with more
  /// participants, a bot's share of a processor is worth less. With several nodes behind a
  /// balancer, the levels are per node.
  ///
  /// The rate is the count of the current second plus the part of the previous second's count that
  /// is less than a second old.
  static final class CrowdMeter {
    private static final long SECOND = 1_000;

    private final List<CostLevel> levels;
    private final Clock clock;
    private long second;
    private int last;
    private int running;

    /// @param levels in rising order
    CrowdMeter(List<CostLevel> levels, Clock clock) {
      this.levels = levels;
      this.clock = clock;
    }

    /// Counts one challenge and returns the factor on its cost.
    synchronized int next() {
      long now = clock.millis();
      long current = Math.floorDiv(now, SECOND);
      if (current != second) {
        last = current == second + 1 ? running : 0;
        running = 0;
        second = current;
      }
      running++;
      long left = SECOND - Math.floorMod(now, SECOND);
      return CostLevel.factor(levels, running + last * left / SECOND);
    }
  }

  /// Counts the challenges that each network has solved for each product, which sets the cost of
  /// its next ones: the first places of a network cost the normal work, further places cost more.
  ///
  /// Counts the last ten to twenty minutes on this node. Memory is bounded: every entry costs its
  /// network a solved challenge, and a network that does not fit pays the normal cost. Thread-safe
  /// and non-blocking.
  static final class NetworkMeter {
    static final int MAX_NETWORKS = 65_536;

    private static final Duration PERIOD = Duration.ofMinutes(10);

    private final List<CostLevel> levels;
    private final RecentMap<DistinctCount> solutions;

    /// @param levels in rising order
    NetworkMeter(List<CostLevel> levels, Clock clock) {
      this.levels = levels;
      this.solutions = new RecentMap<>(clock, PERIOD, MAX_NETWORKS, DistinctCount::new);
    }

    /// The factor on the cost of the next challenge.
    int factor(ProductId product, String network) {
      return levels.isEmpty()
          ? 1
          : CostLevel.factor(levels, solutions.max(key(product, network), DistinctCount::count));
    }

    /// Records a solved challenge. A repeat with the same nonce changes nothing, so nobody can
    /// raise the cost of the neighbours by sending one solution many times.
    void solved(ProductId product, String network, String nonce) {
      if (!levels.isEmpty()) {
        solutions.touch(key(product, network), one -> one.add(nonce));
      }
    }

    private static String key(ProductId product, String network) {
      return product.value() + ' ' + network;
    }
  }

  /// The time that a proof of work took, from the issue of the challenge to now.
  ///
  /// @param millis includes the network and everything else that the browser did
  /// @param hashes the work of the solution
  public record SolveTime(long millis, long hashes) {
    /// More than any telephone or browser computes in a millisecond.
    private static final long HASHES_PER_MILLI = 20_000;

    /// A browser needs longer to fetch a challenge, start a worker and send the solution.
    private static final long SHORTEST_MILLIS = 8;

    /// Reads the time from a token; empty for a token of another challenge. The token is not
    /// verified: a forged one is refused later in the same request.
    public static Optional<SolveTime> of(String token, Clock clock) {
      return !AltchaPayload.looksLikeOne(token)
          ? Optional.empty()
          : AltchaPayload.read(token)
              .map(
                  payload ->
                      new SolveTime(
                          Math.max(0, clock.millis() - payload.parameters().issuedAt()),
                          (Math.clamp(payload.counter(), 0, Integer.MAX_VALUE) + 1L)
                              * payload.parameters().cost()));
    }

    /// Whether no browser is that fast.
    public boolean isImpossible() {
      return millis < SHORTEST_MILLIS + hashes / HASHES_PER_MILLI;
    }
  }
}
