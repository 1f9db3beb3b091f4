package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I40;
import static fairgate.prove.check.LogLeaves.field;
import static fairgate.prove.check.LogLeaves.hash;
import static fairgate.prove.check.LogLeaves.json;
import static fairgate.prove.check.LogLeaves.leafHash;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.prove.check.LedgerSnapshot.Row;
import fairgate.prove.room.DrawnRoom.Told;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/// Compares the drawn order of a waiting room with the house log and with what its guests were
/// told. Computes seed and places by itself.
public final class DrawnRoomCheck {
  private static final int ROUNDS = 90;

  private final Connection sql;
  private final String room;
  private final String origin;
  private final InvariantResults tally;

  /// @param origin of the house log
  public DrawnRoomCheck(Connection sql, String room, String origin, InvariantResults tally) {
    this.sql = sql;
    this.room = room;
    this.origin = origin;
    this.tally = tally;
  }

  /// Compares everything.
  ///
  /// @param head the document that browsers read
  /// @param marginSeconds time between an announcement and its beacon round
  /// @param isCertain false if Redis has lost answered writes of the room: its guests came again
  public void check(JsonNode head, List<Told> told, int marginSeconds, boolean isCertain)
      throws SQLException {
    List<String> house = LogLeaves.texts(sql, origin);
    List<String> seals = leaves(house, "seal");
    tally.that(
        I40,
        !isCertain || seals.size() == 1,
        "%s: %d announcements, and no data was lost",
        room,
        seals.size());
    for (String seal : seals) {
      announced(house, seal, marginSeconds);
    }
    long epoch = head.at("/drawn/epoch").asLong(-1);
    for (String seal : seals) {
      if (Long.parseLong(field(seal, "epoch")) == epoch) {
        inUse(house, seal, head.path("drawn"));
        if (isCertain) {
          guests(seal, seedOf(house, seal), told);
        }
      }
    }
    tally.that(
        I40,
        !isCertain || seals.stream().anyMatch(it -> field(it, "epoch").equals("" + epoch)),
        "%s: the order in use, of epoch %d, was never announced",
        room,
        epoch);
  }

  private List<String> leaves(List<String> house, String type) {
    String head = "fairgate-room-" + type + "/1\nroom " + room + "\n";
    return house.stream().filter(leaf -> leaf.startsWith(head)).toList();
  }

  private List<String> results(List<String> house, String seal) {
    return leaves(house, "result").stream()
        .filter(it -> field(it, "epoch").equals(field(seal, "epoch")))
        .toList();
  }

  /// One announcement of an epoch, before its round existed, and one result that follows from both.
  private void announced(List<String> house, String seal, int marginSeconds) throws SQLException {
    String epoch = field(seal, "epoch");
    long same =
        leaves(house, "seal").stream().filter(it -> field(it, "epoch").equals(epoch)).count();
    List<String> results = results(house, seal);
    tally.that(
        I40,
        same == 1 && results.size() == 1,
        "%s: %d announcements and %d results of epoch %s",
        room,
        same,
        results.size(),
        epoch);
    early(seal, epoch, marginSeconds);
    if (results.isEmpty()) {
      return;
    }
    String result = results.getFirst();
    boolean isRight =
        field(result, "beacon").equals(field(seal, "beacon"))
            && field(result, "seal").equals(Base64.getEncoder().encodeToString(leafHash(seal)))
            && field(result, "seed").equals(Base64.getEncoder().encodeToString(seedOf(house, seal)))
            && house.indexOf(result) > house.indexOf(seal);
    tally.that(I40, isRight, "%s: %s does not follow from %s", room, result, seal);
  }

  private void early(String seal, String epoch, int marginSeconds) throws SQLException {
    for (Row row :
        LedgerSnapshot.rows(
            sql,
            "SELECT sealed_at, chain FROM room_draws WHERE room = ?"
                + " AND epoch = "
                + Long.parseLong(epoch),
            room)) {
      JsonNode chain = json(row.text("chain"));
      long round = Long.parseLong(field(seal, "beacon").split(" ", -1)[1]);
      long time = chain.path("genesis_time").asLong() + (round - 1) * chain.path("period").asLong();
      long sealed = row.number("sealed_at") / 1000;
      tally.that(
          I40,
          time - sealed >= marginSeconds,
          "%s: announced at %d, and its round came at %d",
          room,
          sealed,
          time);
    }
  }

  private void inUse(List<String> house, String seal, JsonNode drawn) {
    boolean isSame =
        drawn.path("n").asLong() == Long.parseLong(field(seal, "tickets"))
            && drawn.path("seed").asText().equals(HexFormat.of().formatHex(seedOf(house, seal)));
    tally.that(I40, isSame, "%s: the order in use is %s, announced was %s", room, drawn, seal);
  }

  /// Everybody from before the opening is in the draw, and enters in its order.
  private void guests(String seal, byte[] seed, List<Told> told) {
    int count = Integer.parseInt(field(seal, "tickets"));
    for (Told guest : told) {
      if (guest.ticket() < 0) {
        continue;
      }
      tally.that(
          I40,
          !guest.isEarly() || guest.ticket() < count,
          "%s: ticket %d was given before the opening, and is not among %d in the draw",
          room,
          guest.ticket(),
          count);
      long place = place((int) guest.ticket(), count, seed);
      boolean isRight =
          switch (guest.answer()) {
            case "ENTER" -> place < guest.after();
            case "NOT_YOUR_TURN" -> true;
            default -> false;
          };
      boolean mustEnter = place < guest.before() && !guest.answer().equals("ENTER");
      tally.that(
          I40,
          isRight && !mustEnter,
          "%s: ticket %d has place %d, the cursor went from %d to %d, and it got %s",
          room,
          guest.ticket(),
          place,
          guest.before(),
          guest.after(),
          guest.answer());
    }
  }

  /// The swap-or-not shuffle of one ticket.
  private static long place(int ticket, int count, byte[] seed) {
    if (ticket >= count) {
      return ticket;
    }
    int at = ticket;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] number = {(byte) round};
      long first = ByteBuffer.wrap(hash(seed, number)).getLong();
      int other = Math.floorMod((int) Long.remainderUnsigned(first, count) - at, count);
      int high = Math.max(at, other);
      byte[] bits = hash(seed, number, ByteBuffer.allocate(4).putInt(high / 256).array());
      if ((bits[high % 256 / 8] >> high % 8 & 1) == 1) {
        at = other;
      }
    }
    return at;
  }

  /// The seed that follows from an announcement and the published signature.
  private byte[] seedOf(List<String> house, String seal) {
    List<String> results = results(house, seal);
    if (results.isEmpty()) {
      return new byte[0];
    }
    byte[] signature = Base64.getDecoder().decode(field(results.getFirst(), "signature"));
    byte[] label = "fairgate-room-seed/1\n".getBytes(StandardCharsets.US_ASCII);
    return hash(label, leafHash(seal), hash(signature));
  }
}
