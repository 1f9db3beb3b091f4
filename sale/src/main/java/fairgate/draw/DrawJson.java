package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.Hash;
import fairgate.platform.json.JsonText;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/// Draws as JSON, the same for everybody.
public final class DrawJson {
  private DrawJson() {}

  public static JsonText brief(Draw draw) {
    return JsonText.object()
        .put("id", draw.id())
        .put("product_id", draw.product().value())
        .put("title", draw.terms().title())
        .put("state", draw.state().word())
        .put("opens_at", time(draw.rules().open().orElse(0)))
        .put("closes_at", time(draw.rules().close()))
        .put("draws_at", time(draw.decidesAt()));
  }

  /// A draw with its rules and all decisions.
  ///
  /// @param now by the clock of draws
  public static JsonText full(Draw draw, Instant now) {
    JsonText json =
        brief(draw)
            .put("units", draw.rules().units())
            .put("max_quantity", draw.rules().qtyMax())
            .put("claim_minutes", draw.terms().claimMinutes())
            .put("time_zone", draw.terms().zone().getId())
            .put("chain", draw.beaconRound().chain())
            .put("round", draw.beaconRound().round())
            .put("rules_hash", draw.rules().hash().hex())
            .putRaw("rules", draw.rules().json());
    draw.lateSince(now.getEpochSecond()).ifPresent(since -> json.put("late_since", time(since)));
    draw.seal()
        .ifPresent(
            seal ->
                json.put(
                    "seal",
                    JsonText.object()
                        .put("size", seal.head().size())
                        .put("root", seal.head().root().hex())
                        .put("leaf", seal.hash().hex())
                        .put("excluded", seal.excluded().size())));
    draw.beacon().ifPresent(beacon -> json.put("beacon", beacon(beacon)));
    seed(draw).ifPresent(seed -> json.put("seed", seed.hex()));
    draw.result()
        .ifPresent(
            result ->
                json.put(
                    "result",
                    JsonText.object()
                        .put("size", result.order().size())
                        .put("root", result.order().root().hex())
                        .put("everybody_wins", result.order().size() <= draw.rules().units())));
    draw.report().ifPresent(report -> json.put("report", report(report.report())));
    draw.abortReason().ifPresent(reason -> json.put("abort_reason", reason));
    return json;
  }

  private static JsonText beacon(HouseLeaf.Beacon beacon) {
    return JsonText.object()
        .put("chain", beacon.round().chain())
        .put("round", beacon.round().round())
        .put("signature", HexFormat.of().formatHex(beacon.signature()));
  }

  private static JsonText report(AllocationReport report) {
    return JsonText.object()
        .put("stock", report.stock())
        .put("holdbacks", report.holdbacks())
        .put("issued", report.issued())
        .put("passed", report.passed())
        .put("unsold", report.unsold());
  }

  /// The seed of the lots; empty before the beacon is known.
  public static Optional<Hash> seed(Draw draw) {
    return draw.beacon()
        .map(
            beacon ->
                Lots.seed(
                    draw.seal().orElseThrow().hash(), BeaconChain.randomness(beacon.signature())));
  }

  static String time(long seconds) {
    return Instant.ofEpochSecond(seconds).toString();
  }
}
