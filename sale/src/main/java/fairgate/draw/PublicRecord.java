package fairgate.draw;

import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.store.HouseNotes;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.witness.Witnesses;
import fairgate.platform.feature.Feature.Infra;
import fairgate.platform.http.Route;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// What outsiders get of draws: files and tiles, the cosignatures of witnesses, and notes about the
/// installation in the house log.
public final class PublicRecord implements AutoCloseable {
  /// Verifiers want the seal's cosignatures this long before the beacon round.
  private static final long SEAL_MARGIN_S = 60;

  private final Draws draws;
  private final DrawRecords records;
  private final Witnesses witnesses;
  private final HouseNotes notes;

  private PublicRecord(Draws draws, DrawRecords records, Witnesses witnesses, HouseNotes notes) {
    this.draws = draws;
    this.records = records;
    this.witnesses = witnesses;
    this.notes = notes;
  }

  /// @param isRoomAwaiting whether the draw of a room waits for cosignatures
  /// @param notes what else becomes leaves of the house log
  static PublicRecord of(
      Witnesses.Config config,
      Draws draws,
      DrawKeys keys,
      DrawFeature.Stores stores,
      AtomicBoolean isRoomAwaiting,
      Infra infra,
      HouseNotes.Sources notes) {
    DrawLogs logs = stores.logs();
    Witnesses witnesses =
        new Witnesses(
            infra.postgres(),
            logs,
            keys.houseOrigin(),
            config,
            () ->
                isRoomAwaiting.get()
                    || draws.all().stream().anyMatch(PublicRecord::awaitsWitnesses),
            infra.clock());
    return new PublicRecord(
        draws,
        new DrawRecords(infra.postgres(), keys, stores, witnesses),
        witnesses,
        new HouseNotes(logs, keys.houseOrigin(), notes));
  }

  private static boolean awaitsWitnesses(Draw draw) {
    boolean isAwaiting =
        draw.rulesProof().isEmpty() || (draw.seal().isPresent() && draw.sealProof().isEmpty());
    return isAwaiting && !draw.state().isOver() && draw.rules().quorum() > 0;
  }

  public DrawRecords records() {
    return records;
  }

  public List<Route> routes() {
    return new DrawRecordRoutes(draws, records).routes();
  }

  /// The proof of the rules leaf before the draw opens, or of its seal. Cosignatures that verifiers
  /// would call late do not count.
  Optional<String> proof(Draw draw, long index) {
    long until =
        draw.seal().isPresent()
            ? draw.chain().timeOf(draw.rules().beacon().round()) - SEAL_MARGIN_S
            : draw.rules().open().orElse(draw.rules().close());
    return witnesses
        .proof(index, draw.rules().witnesses(), draw.rules().quorum(), until)
        .map(TlogProof::text);
  }

  /// The proof of the announcement of a room's draw.
  Optional<String> proof(RoomLeaf.Seal seal, long index, long until) {
    return witnesses.proof(index, seal.witnesses(), seal.quorum(), until).map(TlogProof::text);
  }

  void start() {
    witnesses.start();
    notes.start();
  }

  @Override
  public void close() {
    witnesses.close();
    notes.close();
  }
}
