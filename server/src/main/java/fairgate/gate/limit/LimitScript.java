package fairgate.gate.limit;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/// `limit.lua`: many calls, each counted in all of its limits or in none.
final class LimitScript {
  private static final LuaScript SCRIPT = LuaScript.load(LimitScript.class, "limit.lua");
  private static final String NONE = "0";

  private final RedisClient redis;
  private final String tag;

  LimitScript(RedisClient redis) {
    this.redis = redis;
    this.tag = redis.tag(LimitKeys.TAG);
  }

  /// One key and what limits it.
  ///
  /// @param p as the script's header says, like `q` and `burst`
  /// @param advance calls to take beyond those wanted, if there are so many; rates only
  record Limit(String key, String kind, String p, String q, String burst, int advance) {
    static Limit of(LimitRule rule, String key, int advance) {
      return switch (rule.semantics()) {
        case RATE ->
            new Limit(
                key,
                "r",
                Long.toString(rule.p()),
                Long.toString(rule.q()),
                Integer.toString(rule.burst()),
                advance);
        case WINDOW ->
            new Limit(
                key,
                "w",
                Integer.toString(rule.most()),
                Long.toString(rule.seconds() * 1_000_000L),
                NONE,
                0);
      };
    }

    static Limit of(LimitFacts.Once once) {
      return new Limit(once.key(), "o", Long.toString(once.lifeMillis() * 1_000), NONE, NONE, 0);
    }
  }

  /// So many calls that count in the same limits.
  record Item(int wanted, List<Limit> limits) {}

  /// What became of an item.
  static final class Answer {
    private final int granted;
    private final long[] waits;
    private final int[] advances;

    private Answer(int granted, int limits) {
      this.granted = granted;
      this.waits = new long[limits];
      this.advances = new int[limits];
    }

    /// How many of the calls; -1 when the item's keys cannot be counted with.
    int granted() {
      return granted;
    }

    /// Microseconds until the limit of this place lets one call pass; 0 when it is not in the way,
    /// -1 when it never does.
    long waitOf(int limit) {
      return waits[limit];
    }

    /// Calls taken in advance from the limit of this place.
    int advance(int limit) {
      return advances[limit];
    }

    /// `index:wait` or `index+advance`.
    private void note(String word) {
      int colon = word.indexOf(':');
      int split = colon < 0 ? word.indexOf('+') : colon;
      int limit = Integer.parseInt(word.substring(0, split)) - 1;
      String number = word.substring(split + 1);
      if (colon < 0) {
        advances[limit] = Integer.parseInt(number);
      } else {
        waits[limit] = Long.parseLong(number);
      }
    }
  }

  /// Runs all items at one time of Redis, in their order. A failed future says nothing of what
  /// happened.
  Future<List<Answer>> run(List<Item> items) {
    List<String> keys = new ArrayList<>(items.size() * 2);
    List<String> args = new ArrayList<>(items.size() * 12);
    for (Item item : items) {
      args.add(Integer.toString(item.wanted()));
      args.add(Integer.toString(item.limits().size()));
      for (Limit limit : item.limits()) {
        keys.add(tag.isEmpty() ? limit.key() : tag.concat(limit.key()));
        args.add(limit.kind());
        args.add(limit.p());
        args.add(limit.q());
        args.add(limit.burst());
        args.add(limit.advance() == 0 ? NONE : Integer.toString(limit.advance()));
      }
    }
    return redis.run(SCRIPT, keys, args).map(reply -> answers(items, reply));
  }

  private static List<Answer> answers(List<Item> items, RedisReply reply) {
    List<Answer> answers = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      answers.add(answer(items.get(i).limits().size(), reply.textAt(i)));
    }
    return answers;
  }

  private static Answer answer(int limits, String text) {
    if (text.startsWith("FAULT")) {
      return new Answer(-1, limits);
    }
    int space = text.indexOf(' ');
    Answer answer =
        new Answer(Integer.parseInt(space < 0 ? text : text.substring(0, space)), limits);
    while (space >= 0) {
      int next = text.indexOf(' ', space + 1);
      answer.note(text.substring(space + 1, next < 0 ? text.length() : next));
      space = next;
    }
    return answer;
  }
}
