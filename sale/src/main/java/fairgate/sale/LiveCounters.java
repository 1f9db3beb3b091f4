package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.SaleScripts.LiveScript;
import io.vertx.core.Future;
import java.util.List;

/// The counters of a sale at one instant.
///
/// @param state `scheduled`, `open`, `paused`, `closed`; empty when Redis knows no such sale
/// @param turnMs measured time one turn takes, ms; negative while nothing is known
/// @param now Redis time, ms
/// @param outboxEntries entries in the outbox stream, applied ones included until trimmed
/// @param trusted whether the sale was compared with the ledger since Redis started
/// @param nextDeadline when the next payment deadline passes, ms; 0 when nobody has one
/// @param earlierEvents events of epochs before `epoch` that the counters include
public record LiveCounters(
    String state,
    long free,
    long released,
    long held,
    long confirmed,
    long waiting,
    long active,
    long ready,
    long purchases,
    long pending,
    long joined,
    long admitted,
    long missed,
    long turns,
    int batch,
    long seq,
    long epoch,
    long version,
    double turnMs,
    long now,
    long outboxEntries,
    boolean trusted,
    long nextDeadline,
    long earlierEvents,
    long reserved) {
  /// Reads the counters of a sale without its feature, for commands. Changes nothing.
  public static Future<LiveCounters> read(RedisClient redis, ProductId product) {
    SaleKeys.Style style = SaleKeys.Style.of(redis.clustered());
    return new LiveScript(redis).run(SaleKeys.of(product, style));
  }

  /// Parses the reply of `live.lua` to an item.
  static LiveCounters parse(String reply) {
    List<String> f = List.of(reply.split("\\|", -1));
    return new LiveCounters(
        f.get(0),
        Long.parseLong(f.get(1)),
        Long.parseLong(f.get(2)),
        Long.parseLong(f.get(3)),
        Long.parseLong(f.get(4)),
        Long.parseLong(f.get(5)),
        Long.parseLong(f.get(6)),
        Long.parseLong(f.get(7)),
        Long.parseLong(f.get(8)),
        Long.parseLong(f.get(9)),
        Long.parseLong(f.get(10)),
        Long.parseLong(f.get(11)),
        Long.parseLong(f.get(12)),
        Long.parseLong(f.get(13)),
        Integer.parseInt(f.get(14)),
        Long.parseLong(f.get(15)),
        Long.parseLong(f.get(16)),
        Long.parseLong(f.get(17)),
        Double.parseDouble(f.get(18)),
        Long.parseLong(f.get(19)),
        Long.parseLong(f.get(20)),
        f.get(21).equals("1"),
        Long.parseLong(f.get(22)),
        Long.parseLong(f.get(23)),
        Long.parseLong(f.get(24)));
  }

  public boolean known() {
    return !state.isEmpty();
  }

  /// Whether free + held + confirmed = released in Redis. `SaleSync.balanced` also compares with
  /// the ledger.
  public boolean balanced() {
    return free + held + confirmed == released;
  }
}
