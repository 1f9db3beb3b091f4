package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.DrawCheck;
import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.draw.DrawTrial;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checks of `prove` find nothing in an honest draw, and each planted fault.
@Tag("proof")
class PlantedDrawFaultsIT {
  @TempDir Path folder;

  private static Connection connect(DrawStage stage) throws SQLException {
    var at = stage.database;
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/%s".formatted(at.host(), at.port(), at.database()),
        at.user(),
        at.password());
  }

  private static void run(Connection sql, String statement) throws SQLException {
    try (Statement one = sql.createStatement()) {
      boolean _ = one.execute(statement);
    }
  }

  private static InvariantResults check(Connection sql, DrawTrial trial) throws SQLException {
    InvariantResults results = new InvariantResults();
    new DrawCheck(sql, trial, results).check(true);
    return results;
  }

  private static InvariantResults.InvariantResult verdict(
      InvariantResults results, Invariant invariant) {
    return Objects.requireNonNull(results.verdicts().get(invariant));
  }

  private static void expectBroken(Connection sql, DrawTrial trial, Invariant invariant)
      throws SQLException {
    assertThat(verdict(check(sql, trial), invariant).word())
        .as(invariant.name())
        .isEqualTo("FAILED");
  }

  /// A draw of 3 units among 6 entries that has ended: two winners buy, the others leave.
  private static DrawTrial ended(DrawStage stage) {
    DrawTrial trial = new DrawTrial("tour", "7", DrawStage.LOG_NAME);
    stage.open();
    List<String> sessions = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      HttpResponse<String> entered = DrawStage.enter(stage.one);
      assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
      var json = DrawStage.json(entered);
      String session = json.path("session_id").asText();
      sessions.add(session);
      trial
          .answered()
          .add(
              new DrawTrial.Entry(
                  session, json.path("leaf").asText(), json.path("index").asLong()));
    }
    stage.draw();
    List<String> bought = new ArrayList<>();
    Eventually.await(
        "the draw has ended",
        () -> {
          for (String session : sessions) {
            if (bought.size() < 2) {
              if (!bought.contains(session) && stage.buy(session).statusCode() == 200) {
                bought.add(session);
              }
            } else {
              var _ = stage.one.call("POST", "/api/queue/leave", "", "X-Session-Id", session);
            }
          }
          return DrawStage.read(stage.one, DrawStage.DRAW).path("state").asText().equals("ended");
        });
    return trial;
  }

  @Test
  void everyPlantedFaultIsFound() throws IOException, SQLException {
    try (DrawStage stage = DrawStage.open(folder, 3)) {
      DrawTrial trial = ended(stage);
      try (Connection sql = connect(stage)) {
        Eventually.await(
            "the ledger has the orders",
            () -> verdict(check(sql, trial), Invariant.I35).word().equals("ok"));
        InvariantResults honest = check(sql, trial);
        for (Invariant invariant :
            List.of(
                Invariant.I32,
                Invariant.I33,
                Invariant.I34,
                Invariant.I35,
                Invariant.I37,
                Invariant.I42)) {
          assertThat(verdict(honest, invariant).word())
              .as(verdict(honest, invariant).toString())
              .isEqualTo("ok");
        }
        plant(
            sql,
            trial,
            DrawStage.read(stage.one, DrawStage.DRAW).at("/rules/fallback_rounds/0").asLong());
      }
    }
  }

  private static void plant(Connection sql, DrawTrial trial, long fallback) throws SQLException {
    // An order that the report does not know, by somebody without an offer.
    run(
        sql,
        """
        INSERT INTO orders (platform, order_id, product_id, session_id, quantity, status)
        VALUES ('fairgate', 'order_7_planted', '7', 'somebody', 1, 'paid')
        """);
    expectBroken(sql, trial, Invariant.I34);
    expectBroken(sql, trial, Invariant.I35);
    run(sql, "DELETE FROM orders WHERE order_id = 'order_7_planted'");
    // A unit that the rules promise, and the sale has no more.
    run(sql, "UPDATE products SET total_stock = total_stock - 1 WHERE id = '7'");
    expectBroken(sql, trial, Invariant.I42);
    run(sql, "UPDATE products SET total_stock = total_stock + 1 WHERE id = '7'");
    // An offer of more units than the draw has.
    run(
        sql,
        """
        UPDATE draw_offers SET quantity = quantity + 3, bought = bought + 3
        WHERE draw = 'tour' AND status = 'offered' AND rank = 0
        """);
    expectBroken(sql, trial, Invariant.I42);
    run(
        sql,
        """
        UPDATE draw_offers SET quantity = quantity - 3, bought = bought - 3
        WHERE draw = 'tour' AND status = 'offered' AND rank = 0
        """);
    // Two ranks that were exchanged.
    run(sql, "ALTER TABLE draw_offers DROP CONSTRAINT draw_offers_draw_index_key");
    run(
        sql,
        """
        UPDATE draw_offers o SET index = p.index FROM draw_offers p
        WHERE o.rank < 2 AND p.rank = 1 - o.rank
        """);
    expectBroken(sql, trial, Invariant.I34);
    // A second seal.
    run(
        sql,
        """
        INSERT INTO draw_leaves (origin, index, hash, data)
        SELECT origin, 1000000, decode(repeat('00', 32), 'hex'), data FROM draw_leaves
        WHERE encode(data, 'escape') LIKE 'fairgate-seal/1%'
        """);
    expectBroken(sql, trial, Invariant.I33);
    run(sql, "ALTER TABLE draw_leaves DISABLE TRIGGER ALL");
    run(sql, "DELETE FROM draw_leaves WHERE index = 1000000");
    // An abort of a draw that has its beacon.
    run(
        sql,
        """
        INSERT INTO draw_leaves (origin, index, hash, data)
        SELECT origin, 1000000, decode(repeat('00', 32), 'hex'),
          convert_to(E'fairgate-abort/1\\ndraw tour\\nreason mistake\\n', 'UTF8')
        FROM draw_leaves WHERE encode(data, 'escape') LIKE 'fairgate-seal/1%'
        """);
    expectBroken(sql, trial, Invariant.I33);
    run(sql, "DELETE FROM draw_leaves WHERE index = 1000000");
    // A fallback round that decided, although the round of the rules was not given up.
    run(
        sql,
        """
        UPDATE draw_leaves
        SET data = convert_to(
          regexp_replace(convert_from(data, 'UTF8'), '(beacon [0-9a-f]+) [0-9]+', '\\1 %d'), 'UTF8')
        WHERE encode(data, 'escape') LIKE 'fairgate-beacon/1%%'
        """
            .formatted(fallback));
    expectBroken(sql, trial, Invariant.I37);
    // An answered entry that is not in the list.
    run(
        sql,
        """
        UPDATE draw_leaves SET hash = decode(repeat('11', 32), 'hex')
        WHERE origin LIKE '%/draws/tour' AND index = 2
        """);
    expectBroken(sql, trial, Invariant.I32);
  }
}
