package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I32;
import static fairgate.prove.check.Invariant.I33;
import static fairgate.prove.check.Invariant.I34;
import static fairgate.prove.check.Invariant.I35;
import static fairgate.prove.check.Invariant.I37;
import static fairgate.prove.check.Invariant.I42;
import static fairgate.prove.check.LogLeaves.field;
import static fairgate.prove.check.LogLeaves.hash;
import static fairgate.prove.check.LogLeaves.json;
import static fairgate.prove.check.LogLeaves.leafHash;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.prove.check.LedgerSnapshot.Row;
import fairgate.prove.draw.DrawTrial;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Compares a draw that has ended with the answers to its entrants, with its public logs, and with
/// the orders of its sale. Computes the lots by itself.
public final class DrawCheck {
  private static final String RULES = "fairgate-rules/1\n";

  private final Connection sql;
  private final DrawTrial trial;
  private final InvariantResults tally;

  public DrawCheck(Connection sql, DrawTrial trial, InvariantResults tally) {
    this.sql = sql;
    this.trial = trial;
    this.tally = tally;
  }

  /// Compares everything.
  ///
  /// @param isSaleCertain false if Redis has lost answered writes of the sale
  public void check(boolean isSaleCertain) throws SQLException {
    List<String> house = LogLeaves.texts(sql, trial.logName() + "/log");
    List<byte[]> entries = LogLeaves.hashes(sql, trial.logName() + "/draws/" + trial.draw());
    if (house.stream().anyMatch(this::isAbort)) {
      List<String> beacons = leaves(house, "beacon");
      tally.that(I33, beacons.isEmpty(), "%s was aborted after its beacon", trial.draw());
      // An outage was longer than the time for the seal.
      List.of(I32, I33, I34, I35, I37, I42).forEach(tally::excuse);
      return;
    }
    List<String> seals = once(house, "seal");
    List<String> beacons = once(house, "beacon");
    List<String> results = once(house, "result");
    List<String> reports = once(house, "report");
    if (seals.isEmpty() || beacons.isEmpty() || results.isEmpty() || reports.isEmpty()) {
      return;
    }
    answered(house, entries, Integer.parseInt(field(seals.getFirst(), "size")));
    JsonNode rules = rules(house);
    round(rules, house, beacons.getFirst());
    units(rules);
    order(entries, seals.getFirst(), beacons.getFirst());
    account(reports.getFirst(), isSaleCertain);
  }

  private boolean isAbort(String leaf) {
    return leaf.startsWith("fairgate-abort/1\ndraw " + trial.draw() + "\nreason ");
  }

  /// The leaves of a type, of which there must be one.
  private List<String> once(List<String> house, String type) {
    List<String> all = leaves(house, type);
    tally.that(I33, all.size() == 1, "%s: %d leaves of type %s", trial.draw(), all.size(), type);
    return all;
  }

  private List<String> leaves(List<String> house, String type) {
    String head = "fairgate-" + type + "/1\ndraw " + trial.draw() + "\n";
    return house.stream().filter(leaf -> leaf.startsWith(head)).toList();
  }

  private void answered(List<String> house, List<byte[]> entries, int sealed) {
    for (DrawTrial.Entry entry : trial.entries()) {
      int index = (int) entry.index();
      boolean isListed =
          index < sealed
              && index < entries.size()
              && HexFormat.of().formatHex(entries.get(index)).equals(entry.leaf());
      tally.that(
          I32,
          isListed,
          "%s: the answered entry %s at %d is not in the sealed list",
          trial.draw(),
          entry.leaf(),
          index);
      if (entry.isWithdrawn()) {
        String start = "fairgate-withdraw/1\ndraw " + trial.draw() + "\nentry " + index + " ";
        tally.that(
            I32,
            house.stream().anyMatch(leaf -> leaf.startsWith(start)),
            "%s: the withdrawal of entry %d is not in the log",
            trial.draw(),
            index);
      }
    }
  }

  private JsonNode rules(List<String> house) {
    return house.stream()
        .filter(leaf -> leaf.startsWith(RULES))
        .map(leaf -> json(leaf.substring(RULES.length())))
        .filter(json -> json.path("draw").asText().equals(trial.draw()))
        .findFirst()
        .orElseGet(() -> json("{}"));
  }

  /// The draw gave its winners at most the units of its rules, and its sale has as many.
  private void units(JsonNode rules) throws SQLException {
    long promised = rules.path("stock").asLong();
    for (JsonNode held : rules.path("holdbacks")) {
      promised -= held.asLong();
    }
    Row row =
        LedgerSnapshot.rows(
                sql,
                "SELECT total_stock, (SELECT coalesce(sum(coalesce(bought, quantity)), 0)"
                    + " FROM draw_offers WHERE draw = d.id AND status = 'offered') AS given"
                    + " FROM draws d JOIN products p ON p.id = d.product_id WHERE d.id = ?",
                trial.draw())
            .getFirst();
    long given = row.number("given");
    long stock = row.number("total_stock");
    tally.that(
        I42,
        given <= promised && promised <= stock,
        "%s: %d units went to winners, the rules promise %d, and the sale has %d",
        trial.draw(),
        given,
        promised,
        stock);
  }

  /// The rounds that the rules name before the one that decided have abort leaves before its leaf.
  private void round(JsonNode rules, List<String> house, String beacon) {
    List<String> named = new ArrayList<>();
    String chain = rules.path("beacon").asText() + " ";
    named.add(chain + rules.path("round").asLong());
    rules.path("fallback_rounds").forEach(round -> named.add(chain + round.asLong()));
    JsonNode second = rules.path("second_beacon");
    if (second.isObject()) {
      named.add(second.path("beacon").asText() + " " + second.path("round").asLong());
    }
    String decided = field(beacon, "beacon");
    List<String> before = house.subList(0, house.indexOf(beacon));
    boolean isRight =
        named.contains(decided)
            && named.subList(0, named.indexOf(decided)).stream()
                .allMatch(round -> isGivenUp(before, round.substring(round.indexOf(' ') + 1)));
    tally.that(I37, isRight, "%s: %s decided, the rules name %s", trial.draw(), decided, named);
  }

  private boolean isGivenUp(List<String> leaves, String round) {
    String start = "fairgate-abort/1\ndraw " + trial.draw() + "\nround " + round + "\n";
    return leaves.stream().anyMatch(leaf -> leaf.startsWith(start));
  }

  /// Offers went to the lowest lots, without gaps, and only those who had one have bought.
  private void order(List<byte[]> entries, String seal, String beacon) throws SQLException {
    byte[] signature = Base64.getDecoder().decode(field(beacon, "signature"));
    byte[] label = "fairgate-seed/1\n".getBytes(StandardCharsets.US_ASCII);
    byte[] seed = hash(label, leafHash(seal), hash(signature));
    Map<Integer, byte[]> lots = new HashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      lots.put(i, lot(seed, entries.get(i)));
    }
    List<Integer> byLot =
        lots.keySet().stream()
            .sorted((a, b) -> Arrays.compareUnsigned(lots.get(a), lots.get(b)))
            .toList();
    Map<String, Row> offered = new HashMap<>();
    int rank = 0;
    for (Row row :
        LedgerSnapshot.rows(
            sql,
            "SELECT o.rank, o.index, o.status, o.bought, e.session::text AS session"
                + " FROM draw_offers o JOIN draw_entries e USING (draw, index)"
                + " WHERE draw = ? ORDER BY o.rank",
            trial.draw())) {
      tally.that(
          I34,
          row.number("rank") == rank && row.number("index") == byLot.get(rank),
          "%s: rank %d was given to entry %d",
          trial.draw(),
          row.number("rank"),
          row.number("index"));
      rank++;
      if (row.text("status").equals("offered")) {
        offered.put(row.text("session"), row);
      }
    }
    for (Row order : orders()) {
      Row offer = offered.get(order.text("session_id"));
      tally.that(
          I34,
          offer != null,
          "%s: order %s without an offer",
          trial.draw(),
          order.text("order_id"));
    }
  }

  private List<Row> orders() throws SQLException {
    return LedgerSnapshot.rows(
        sql,
        "SELECT order_id, session_id, quantity FROM orders"
            + " WHERE platform = 'fairgate' AND product_id = ? AND status IN ('paid', 'refunded')",
        trial.product());
  }

  private void account(String report, boolean isSaleCertain) throws SQLException {
    long sold = orders().stream().mapToLong(order -> order.number("quantity")).sum();
    long issued = Long.parseLong(field(report, "issued"));
    long passed = Long.parseLong(field(report, "passed"));
    long unsold = Long.parseLong(field(report, "unsold"));
    long holdbacks = Long.parseLong(field(report, "holdbacks"));
    long stock = Long.parseLong(field(report, "stock"));
    tally.that(
        I35,
        issued + passed + unsold + holdbacks == stock,
        "%s: the report does not add up: %s",
        trial.draw(),
        report);
    if (!isSaleCertain) {
      // Redis may have forgotten a purchase, so that the report lacks it.
      tally.excuse(I35);
      return;
    }
    tally.that(
        I35,
        issued + passed == sold,
        "%s: the report says %d, the orders %d",
        trial.draw(),
        issued + passed,
        sold);
  }

  private static byte[] lot(byte[] seed, byte[] leaf) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(seed, "HmacSHA256"));
      mac.update((byte) 1);
      return mac.doFinal(leaf);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
    }
  }
}
