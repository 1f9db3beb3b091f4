package fairgate.draw;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.tlog.StrictText;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.kernel.Word;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// A draw of a sale.
///
/// @param round the beacon round of the rules, or the fallback round to which the draw has come
/// @param isSecond whether all these were given up, so that the second beacon decides
/// @param rulesProof the `.tlog-proof` file of the rules leaf; empty until a quorum has cosigned
/// @param sealProof the same for the seal leaf
/// @param abortReason the public reason of an aborted draw
/// @param version higher after every change, across all draws
public record Draw(
    String id,
    ProductId product,
    DrawRules rules,
    Terms terms,
    Chains chains,
    State state,
    long round,
    boolean isSecond,
    String rulesProof,
    String sealProof,
    Leaves leaves,
    String allotments,
    Optional<String> abortReason,
    long version) {
  /// The data of the leaves in the house log that exist once, when they are decided.
  public record Leaves(
      Optional<byte[]> seal,
      Optional<byte[]> beacon,
      Optional<byte[]> result,
      Optional<byte[]> report) {}

  /// The beacon chains as drand's `/info` describes them.
  ///
  /// @param first empty for quicknet
  /// @param second of the second beacon; empty for none
  public record Chains(String first, String second) {
    static BeaconChain parse(String info) {
      return BeaconChain.parse(StrictText.bytes(info)).orElseThrow();
    }
  }

  /// The rules that verifiers do not check.
  ///
  /// @param claimMinutes time for a purchase after an offer
  /// @param zone of the hours at which offers may end
  public record Terms(String title, long claimMinutes, ZoneId zone) {
    static Terms of(DrawRules rules) {
      JsonObject json = Json.parseObject(rules.json());
      return new Terms(
          json.get("title") instanceof String title ? title : rules.draw(),
          json.get("claim_minutes") instanceof Long minutes ? minutes : DEFAULT_CLAIM_MINUTES,
          json.get("zone") instanceof String zone ? ZoneId.of(zone) : ZoneId.of("UTC"));
    }
  }

  static final long DEFAULT_CLAIM_MINUTES = 30;

  /// The reason of a draw whose seal was not public by `seal_by`.
  static final String LATE_SEAL = "late_seal";

  /// The chain of the rules' beacon and its fallback rounds.
  public BeaconChain chain() {
    return chains.first().isEmpty() ? BeaconChain.QUICKNET : Chains.parse(chains.first());
  }

  /// The chain of the round that decides now.
  public BeaconChain decidingChain() {
    return isSecond ? Chains.parse(chains.second()) : chain();
  }

  /// The beacon round that decides now.
  public BeaconRound beaconRound() {
    return isSecond
        ? rules.secondBeacon().orElseThrow()
        : new BeaconRound(rules.beacon().chain(), round);
  }

  /// The time of the beacon round that decides now, in seconds since 1970.
  public long decidesAt() {
    return decidingChain().timeOf(beaconRound().round());
  }

  /// The time of the rules' round. From then on the random number may be known.
  Instant due() {
    return Instant.ofEpochSecond(chain().timeOf(rules.beacon().round()));
  }

  /// The time of the rules' round, in seconds since 1970, if no beacon has decided since and ten
  /// seconds are over: the draw waits for it or for a fallback round. Empty otherwise.
  ///
  /// @param now seconds since 1970
  public OptionalLong lateSince(long now) {
    if (state != State.SEALED || leaves.beacon().isPresent()) {
      return OptionalLong.empty();
    }
    long due = chain().timeOf(rules.beacon().round());
    return LateWarnings.isLate(due, now) ? OptionalLong.of(due) : OptionalLong.empty();
  }

  /// The seal; empty before it is decided in the state `sealing`, and if it was late.
  public Optional<Seal> seal() {
    return leaves
        .seal()
        .filter(_ -> !abortReason.equals(Optional.of(LATE_SEAL)))
        .flatMap(HouseLeaf::parse)
        .map(Seal.class::cast);
  }

  /// The beacon that decided; empty before it is known.
  public Optional<HouseLeaf.Beacon> beacon() {
    return leaves.beacon().flatMap(HouseLeaf::parse).map(HouseLeaf.Beacon.class::cast);
  }

  /// The order's root; empty before the state `drawn`.
  public Optional<HouseLeaf.Result> result() {
    return leaves.result().flatMap(HouseLeaf::parse).map(HouseLeaf.Result.class::cast);
  }

  /// The account of all units; empty before the state `ended`.
  public Optional<HouseLeaf.Report> report() {
    return leaves.report().flatMap(HouseLeaf::parse).map(HouseLeaf.Report.class::cast);
  }

  /// The states of a draw, in their order. A draw never goes back.
  public enum State implements Word {
    /// The rules are public; nobody can enter yet.
    ANNOUNCED,
    OPEN,
    SEALING,
    /// The seal is public; the beacon's round decides.
    SEALED,
    /// The order is public; nobody was offered units yet.
    DRAWN,
    /// Units are offered in the order of the lots.
    ALLOCATING,
    /// All units are accounted for.
    ENDED,
    /// The draw ended without a report, for a public reason.
    ABORTED;

    static State of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public boolean isOver() {
      return this == ENDED || this == ABORTED;
    }
  }

  /// When to warn of draws whose beacon round is late: once a minute for each draw. Times are
  /// seconds since 1970.
  static final class LateWarnings {
    private static final long MAX_DRAWS = 10_000;
    private static final long MINUTE = 60;

    private final Cache<String, Long> warned = Caffeine.newBuilder().maximumSize(MAX_DRAWS).build();

    /// Whether the round that was due then should be known by now.
    static boolean isLate(long due, long now) {
      return now > due + OrderDraws.LATE_SECONDS;
    }

    /// True at most once a minute for each draw that is late; the caller then logs.
    boolean isDue(String draw, long due, long now) {
      Long last = warned.getIfPresent(draw);
      if (!isLate(due, now) || (last != null && now < last + MINUTE)) {
        return false;
      }
      warned.put(draw, now);
      return true;
    }
  }
}
