package fairgate.bench;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.LuaScript;
import fairgate.queue.QueueService;
import fairgate.sale.SaleService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Adds buyers to the queue of one product and makes purchases, directly through the server's
/// scripts: the work of the measured server without the server.
final class Crowd {
  private static final int PER_JOIN = 128;
  private static final int DEPTH = 8;
  private static final String IDEMPOTENCY_LIFE_S = "86400";

  private static final LuaScript JOIN = LuaScript.load(QueueService.class, "join.lua");
  private static final LuaScript PURCHASE = LuaScript.load(SaleService.class, "purchase.lua");

  private final Path socket;
  private final SaleKeys keys;
  private final String product;

  Crowd(Path socket, String product) {
    this.socket = socket;
    this.product = product;
    this.keys = SaleKeys.of(new ProductId(product), SaleKeys.Style.PLAIN);
  }

  SaleKeys keys() {
    return keys;
  }

  /// The session of the buyer at this index.
  String session(int buyer) {
    return pad(product, 8) + "-0000-4000-8000-" + pad(Integer.toString(buyer), 12);
  }

  List<String> sessions(int from, int to) {
    List<String> sessions = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      sessions.add(session(i));
    }
    return sessions;
  }

  /// Lets buyers `from` up to but not including `to` join, many in one script run.
  void join(int from, int to) throws IOException, InterruptedException {
    int runs = (to - from + PER_JOIN - 1) / PER_JOIN;
    try (RawRedis redis = new RawRedis(socket)) {
      String sha = redis.call("SCRIPT", "LOAD", JOIN.source());
      var _ =
          redis.pipeline(
              runs,
              DEPTH,
              run -> {
                int first = from + run * PER_JOIN;
                return joinOf(sha, first, Math.min(to, first + PER_JOIN));
              },
              reply -> check(reply.substring(0, reply.lastIndexOf('\n')), "JOINED"));
    }
  }

  private List<String> joinOf(String sha, int from, int to) {
    List<String> command = new ArrayList<>(16 + (to - from) * 2);
    command.addAll(List.of("EVALSHA", sha, Integer.toString(5 + to - from)));
    command.addAll(List.of(keys.sale(), keys.waiting(), keys.active(), keys.devices()));
    command.add(keys.ready());
    for (int i = from; i < to; i++) {
      command.add(keys.sessionPrefix() + session(i));
    }
    command.addAll(List.of(product, keys.sessionPrefix(), keys.eventPrefix()));
    for (int i = from; i < to; i++) {
      command.add(device(i));
    }
    return command;
  }

  /// Lets buyers 0 to `buyers` buy one unit each.
  ///
  /// @param perRun purchases in one script run
  /// @param depth script runs under way at once
  /// @return seconds it took
  double buy(int buyers, int perRun, int depth) throws IOException, InterruptedException {
    int runs = (buyers + perRun - 1) / perRun;
    try (RawRedis redis = new RawRedis(socket)) {
      String sha = redis.call("SCRIPT", "LOAD", PURCHASE.source());
      return redis.pipeline(
          runs,
          depth,
          run -> buyOf(sha, run * perRun, Math.min(buyers, (run + 1) * perRun)),
          reply -> check(reply, "RESERVED"));
    }
  }

  /// The same, where each run is followed by a small write and `WAIT` for a replica, as with
  /// `redis.durability: replicated`.
  double buyReplicated(int buyers, int perRun, int depth) throws IOException, InterruptedException {
    int runs = (buyers + perRun - 1) / perRun;
    try (RawRedis redis = new RawRedis(socket)) {
      String sha = redis.call("SCRIPT", "LOAD", PURCHASE.source());
      return redis.pipeline(
          3 * runs,
          3 * depth,
          i -> {
            int run = i / 3;
            return switch (i % 3) {
              case 0 -> buyOf(sha, run * perRun, Math.min(buyers, (run + 1) * perRun));
              case 1 -> List.of("SET", keys.sale() + ":replicated", "1");
              default -> List.of("WAIT", "1", "1500");
            };
          },
          reply -> {
            if (reply.equals("0")) {
              throw new IllegalStateException("no replica confirmed");
            }
          });
    }
  }

  private List<String> buyOf(String sha, int from, int to) {
    List<String> command = new ArrayList<>(16 + (to - from) * 2);
    command.addAll(List.of("EVALSHA", sha, Integer.toString(8 + to - from)));
    command.addAll(List.of(keys.sale(), keys.stock(), keys.active(), keys.ready()));
    command.addAll(List.of(keys.purchases(), keys.pending(), keys.devices(), keys.outbox()));
    for (int i = from; i < to; i++) {
      command.add(keys.sessionPrefix() + session(i));
    }
    command.addAll(List.of(keys.eventPrefix(), keys.orderPrefix(), keys.lockPrefix()));
    command.addAll(List.of(IDEMPOTENCY_LIFE_S, product));
    for (int i = from; i < to; i++) {
      command.addAll(List.of(order(i), "1"));
    }
    return command;
  }

  private static void check(String reply, String wanted) {
    for (String item : reply.split("\n", -1)) {
      if (!item.startsWith(wanted)) {
        throw new IllegalStateException("expected " + wanted + ", got " + item);
      }
    }
  }

  private String order(int buyer) {
    return OrderId.of(new ProductId(product), pad(Integer.toString(buyer), 26)).value();
  }

  private static String device(int buyer) {
    return pad(Integer.toString(buyer), 22);
  }

  private static String pad(String digits, int width) {
    return "0".repeat(width - digits.length()) + digits;
  }
}
