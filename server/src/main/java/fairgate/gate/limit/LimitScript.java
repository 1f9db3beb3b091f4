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

  private final RedisClient redis;
  private final String tag;

  LimitScript(RedisClient redis) {
    this.redis = redis;
    this.tag = redis.tag(LimitKeys.TAG);
  }

  /// What limits a key, as the script's header says.
  record Terms(char kind, long p, long q, int burst) {
    static Terms of(LimitRule rule) {
      return switch (rule.semantics()) {
        case RATE -> new Terms('r', rule.p(), rule.q(), rule.burst());
        case WINDOW -> new Terms('w', rule.most(), rule.seconds() * 1_000_000L, rule.most());
      };
    }
  }

  /// One key and what limits it.
  ///
  /// @param advance calls to take beyond those wanted, if there are so many; rates only
  /// @param owed what it owes at least, in 1/q µs, for it was counted elsewhere; rates only
  record Limit(String key, Terms terms, int advance, long owed) {
    static Limit of(LimitFacts.Once once) {
      return new Limit(once.key(), new Terms('o', once.lifeMillis() * 1_000, 1, 1), 0, 0);
    }
  }

  /// So many calls that count in the same limits.
  record Item(int wanted, List<Limit> limits) {}

  /// What became of an item.
  static final class Answer {
    private static final long[] NONE = {};
    private static final Answer ONE = new Answer(1, NONE, NONE, NONE);

    private final int granted;
    private final long[] waits;
    private final long[] advances;
    private final long[] owed;

    private Answer(int granted, long[] waits, long[] advances, long[] owed) {
      this.granted = granted;
      this.waits = waits;
      this.advances = advances;
      this.owed = owed;
    }

    /// All of its calls, and nothing in advance.
    static Answer all(int wanted) {
      return wanted == 1 ? ONE : new Answer(wanted, NONE, NONE, NONE);
    }

    /// How many of the calls; -1 when the item's keys cannot be counted with.
    int granted() {
      return granted;
    }

    /// Microseconds until the limit of this place lets one call pass; 0 when it is not in the way.
    long waitOf(int limit) {
      return waits.length == 0 ? 0 : waits[limit];
    }

    /// Calls taken in advance from the limit of this place.
    int advance(int limit) {
      return advances.length == 0 ? 0 : (int) advances[limit];
    }

    /// What the limit of this place owes after it, in 1/q µs; 0 where nobody asked.
    long owed(int limit) {
      return owed.length == 0 ? 0 : owed[limit];
    }

    private long[] of(char sign) {
      return switch (sign) {
        case ':' -> waits;
        case '+' -> advances;
        default -> owed;
      };
    }

    /// Reads `granted`, and `index:wait`, `index+advance` or `index=owed` as often as there are.
    private static Answer of(String[] words, int limits) {
      if (words[1].equals("FAULT")) {
        return new Answer(-1, NONE, NONE, NONE);
      }
      Answer answer =
          new Answer(
              Integer.parseInt(words[1]), new long[limits], new long[limits], new long[limits]);
      for (int i = 2; i < words.length; i++) {
        int split = 1;
        while (Character.isDigit(words[i].charAt(split))) {
          split++;
        }
        answer.of(words[i].charAt(split))[Integer.parseInt(words[i].substring(0, split)) - 1] =
            Long.parseLong(words[i].substring(split + 1));
      }
      return answer;
    }
  }

  /// Runs all items at one time of Redis, in their order. A failed future says nothing of what
  /// happened.
  ///
  /// @param tells whether what limits owe at least is told, and what they owe then
  Future<List<Answer>> run(List<Item> items, boolean tells) {
    List<String> keys = new ArrayList<>(items.size() * 4);
    LimitArguments args = new LimitArguments(tells);
    for (Item item : items) {
      args.add(item);
      for (Limit limit : item.limits()) {
        keys.add(tag.isEmpty() ? limit.key() : tag.concat(limit.key()));
      }
    }
    return redis.run(SCRIPT, keys, List.of(args.json())).map(reply -> answers(items, reply));
  }

  private static List<Answer> answers(List<Item> items, RedisReply reply) {
    List<Answer> answers = new ArrayList<>(items.size());
    for (Item item : items) {
      answers.add(Answer.all(item.wanted()));
    }
    for (int i = 0; i < reply.size(); i++) {
      String[] words = reply.textAt(i).split(" ", -1);
      int item = Integer.parseInt(words[0]) - 1;
      answers.set(item, Answer.of(words, items.get(item).limits().size()));
    }
    return answers;
  }
}
