package fairgate.prove.check;

import fairgate.prove.stage.Engines;
import fairgate.prove.stage.Resp;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Compares what people were told with Redis and the ledger, once all is at rest.
public final class Checker {
  private final Engines engines;
  private final Evidence evidence;
  private final Tally tally;

  public Checker(Engines engines, Evidence evidence, Tally tally) {
    this.engines = engines;
    this.evidence = evidence;
    this.tally = tally;
  }

  /// Throws when an engine cannot be read.
  public void check() throws SQLException, IOException {
    AcceptCheck accepts = new AcceptCheck(evidence, tally);
    OrderCheck orders = new OrderCheck(evidence, tally);
    StockCheck stock = new StockCheck(tally);
    MoneyCheck money = new MoneyCheck(evidence, tally);
    PlaceCheck places = new PlaceCheck(evidence, tally);
    try (Connection sql = engines.sql();
        Resp redis = Resp.open(engines.redis())) {
      for (String product : evidence.products()) {
        Books books = Books.read(sql, product);
        Shelf shelf = Shelf.read(redis, product);
        accepts.check(product, books);
        orders.check(product, books, shelf);
        stock.check(product, books, shelf);
        money.check(product, books);
        places.check(product);
      }
      accepts.outages();
      money.forged();
      new AuditCheck(evidence, tally).check(sql);
    }
  }

  /// Whether everything has come to rest: the ledger has all entries, nothing is pending, no money
  /// waits.
  public boolean atRest() {
    try (Connection sql = engines.sql();
        Resp redis = Resp.open(engines.redis())) {
      for (String product : evidence.products()) {
        if (!Rest.of(sql, redis, product).isEmpty()) {
          return false;
        }
      }
      return true;
    } catch (SQLException | IOException _) {
      return false;
    }
  }

  /// Whether a sale is on and has so many units.
  public boolean sells(String product, int units) {
    try (Resp redis = Resp.open(engines.redis())) {
      String state = String.valueOf(redis.call("HGET", "event:" + product + ":sale", "state"));
      Object free = redis.call("GET", "product:stock:" + product);
      return List.of("open", "scheduled").contains(state)
          && free != null
          && Long.parseLong(String.valueOf(free)) >= units;
    } catch (IOException _) {
      return false;
    }
  }

  /// Notes whether somebody who came to a sale with free units got one.
  public void letIn(String product, boolean bought) {
    tally.that(Invariant.I18, bought, "there were units of %s, and whoever came got none", product);
  }

  /// What has not come to rest; empty when all has.
  public String restless() {
    StringBuilder why = new StringBuilder();
    try (Connection sql = engines.sql();
        Resp redis = Resp.open(engines.redis())) {
      for (String product : evidence.products()) {
        why.append(Rest.of(sql, redis, product));
      }
    } catch (SQLException | IOException e) {
      why.append(e);
    }
    return why.toString();
  }
}
