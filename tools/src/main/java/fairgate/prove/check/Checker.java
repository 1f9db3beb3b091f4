package fairgate.prove.check;

import fairgate.prove.environment.Engines;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Compares the recorded answers with Redis and the ledger, once no work is pending.
public final class Checker {
  private final Engines engines;
  private final Evidence evidence;
  private final InvariantResults tally;
  private int twice;

  public Checker(Engines engines, Evidence evidence, InvariantResults tally) {
    this.engines = engines;
    this.evidence = evidence;
    this.tally = tally;
  }

  /// How many entries Kafka was given more than once, as of the last check.
  public int twice() {
    return twice;
  }

  /// Throws when an engine cannot be read.
  public void check() throws SQLException, IOException {
    AcceptCheck accepts = new AcceptCheck(evidence, tally);
    OrderCheck orders = new OrderCheck(evidence, tally);
    DeadlineCheck deadlines = new DeadlineCheck(evidence, tally);
    StockCheck stock = new StockCheck(evidence, tally);
    PlaceCheck places = new PlaceCheck(evidence, tally);
    ClaimCheck claims = new ClaimCheck(evidence, tally);
    NetworkCheck networks = new NetworkCheck(tally);
    TicketCheck tickets = new TicketCheck(evidence, tally);
    DepositCheck deposits = new DepositCheck(evidence.gateway(), tally);
    Map<String, LedgerSnapshot> read = new HashMap<>();
    try (Connection sql = engines.sql();
        RedisConnections lines = new RedisConnections(engines)) {
      for (String product : evidence.products()) {
        LedgerSnapshot ledger = LedgerSnapshot.read(sql, product);
        read.put(product, ledger);
        RedisSnapshot redisSnapshot =
            RedisSnapshot.read(lines.to(product), lines.names(product), product);
        accepts.check(product, ledger);
        orders.check(product, ledger, redisSnapshot);
        deadlines.check(product, ledger);
        stock.check(product, ledger, redisSnapshot);
        places.check(product, ledger);
        claims.check(sql, product);
        tickets.check(sql, product);
        deposits.check(sql, product);
        networks.units(product, redisSnapshot);
        networks.places(product, lines.to(product), lines.names(product));
      }
      if (engines.broker().isPresent()) {
        KafkaCheck kafkaCheck = new KafkaCheck(evidence, tally);
        twice = kafkaCheck.check(engines.broker().get().all(), read);
      }
      new OpeningCheck(tally).check(sql);
      accepts.outages();
      new MoneyCheck(evidence, read, tally).check();
      new AuditCheck(evidence, tally).check(sql);
      new RefusalCheck(evidence, tally).check();
      new ServerErrorCheck(evidence, tally).check();
    }
  }

  /// Whether everything has come to rest: the ledger has all entries, nothing is pending, no money
  /// waits.
  public boolean atRest() {
    try (Connection sql = engines.sql();
        RedisConnections lines = new RedisConnections(engines)) {
      for (String product : evidence.products()) {
        if (!rest(sql, lines, product).isEmpty()) {
          return false;
        }
      }
      return inKafka() == 0;
    } catch (SQLException | IOException _) {
      return false;
    }
  }

  /// How many entries are between Redis and the ledger.
  private long inKafka() throws IOException {
    return engines.broker().isPresent() ? engines.broker().get().lag() : 0;
  }

  private static String rest(Connection sql, RedisConnections lines, String product)
      throws SQLException, IOException {
    return UnfinishedWork.of(sql, lines.to(product), lines.names(product), product);
  }

  /// Whether the sale is open with this number of units.
  public boolean sells(String product, int units) {
    try (RedisConnections lines = new RedisConnections(engines)) {
      Names names = lines.names(product);
      String state = String.valueOf(lines.to(product).call("HGET", names.sale(), "state"));
      Object free = lines.to(product).call("GET", names.stock());
      return List.of("open", "scheduled").contains(state)
          && free != null
          && Long.parseLong(String.valueOf(free)) >= units;
    } catch (IOException _) {
      return false;
    }
  }

  /// Records whether a buyer of a sale with free units got one (`I18`).
  public void recordPurchase(String product, boolean bought) {
    tally.that(Invariant.I18, bought, "there were units of %s, and whoever came got none", product);
  }

  /// Describes all pending work; empty when there is none.
  public String unfinishedWork() {
    StringBuilder why = new StringBuilder();
    try (Connection sql = engines.sql();
        RedisConnections lines = new RedisConnections(engines)) {
      for (String product : evidence.products()) {
        why.append(rest(sql, lines, product));
      }
      long inKafka = inKafka();
      why.append(inKafka == 0 ? "" : inKafka + " entries in Kafka");
    } catch (SQLException | IOException e) {
      why.append(e);
    }
    return why.toString();
  }
}
