package fairgate.gate.limit;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// `limit.lua`: counts many calls, each in all of its limits or in none.
final class LimitScript {
  private static final LuaScript SCRIPT = LuaScript.load(LimitScript.class, "limit.lua");
  private static final String LATE = "LATE";

  private final RedisClient redis;
  private final String tag;

  LimitScript(RedisClient redis) {
    this.redis = redis;
    this.tag = redis.tag(LimitKeys.TAG);
  }

  /// The numbers of a rule, as the script's header defines them.
  record RuleNumbers(char kind, long p, long q, int burst) {
    static RuleNumbers of(LimitRule rule) {
      return switch (rule.semantics()) {
        case RATE -> new RuleNumbers('r', rule.p(), rule.q(), rule.burst());
        case WINDOW -> new RuleNumbers('w', rule.max(), rule.seconds() * 1_000_000L, rule.max());
      };
    }

    /// The longest time for which a call counts, µs.
    long lifeMicros() {
      return kind == 'r' ? Math.ceilDiv(p * burst, q) : q;
    }

    /// Whether all calls of the limit expire within a second. Redis neither logs such a key nor
    /// reports its debt.
    boolean isBrief() {
      return kind == 'r' && p * burst <= q * 1_000_000;
    }
  }

  record Limit(String key, RuleNumbers numbers) {
    static Limit of(LimitFacts.Nonce once) {
      return new Limit(once.key(), new RuleNumbers('o', once.lifeMillis() * 1_000, 1, 1));
    }
  }

  record Item(int wanted, List<Limit> limits) {}

  static final class Answer {
    private static final long[] NONE = {};
    private static final Answer ONE = new Answer(1, NONE, NONE);

    private final int granted;
    private final long[] waits;
    private final long[] owed;

    private Answer(int granted, long[] waits, long[] owed) {
      this.granted = granted;
      this.waits = waits;
      this.owed = owed;
    }

    static Answer all(int wanted) {
      return wanted == 1 ? ONE : new Answer(wanted, NONE, NONE);
    }

    /// The number of calls granted; -1 when a key of the item holds something else.
    int granted() {
      return granted;
    }

    /// Microseconds until the limit at this index lets one call pass; 0 when it is not in the way.
    long waitOf(int limit) {
      return waits.length == 0 ? 0 : waits[limit];
    }

    /// Debt of the limit at this index after the run, in 1/q µs; 0 except for rates that last
    /// longer than a second.
    long owed(int limit) {
      return owed.length == 0 ? 0 : owed[limit];
    }

    /// Parses `granted`, followed by any number of `index:wait` and `index=debt`.
    private static Answer of(String[] words, int limits) {
      if (words[1].equals("FAULT")) {
        return new Answer(-1, NONE, NONE);
      }
      Answer answer = new Answer(Integer.parseInt(words[1]), new long[limits], new long[limits]);
      for (int i = 2; i < words.length; i++) {
        int split = 1;
        while (Character.isDigit(words[i].charAt(split))) {
          split++;
        }
        long[] numbers = words[i].charAt(split) == ':' ? answer.waits : answer.owed;
        numbers[Integer.parseInt(words[i].substring(0, split)) - 1] =
            Long.parseLong(words[i].substring(split + 1));
      }
      return answer;
    }
  }

  /// The result of a run.
  ///
  /// @param micros the time of Redis at which it ran, µs
  /// @param answers one for each item; none when it ran too late and counted nothing
  record Outcome(long micros, List<Answer> answers) {
    boolean isLate() {
      return answers.isEmpty();
    }
  }

  /// Runs all items in order at one time of Redis. After a failed future it is unknown whether the
  /// script ran.
  ///
  /// @param latest the time of Redis, µs, after which nothing is to be counted; 0 for none
  Future<Outcome> run(List<Item> items, long latest) {
    List<String> keys = new ArrayList<>(items.size() * 4);
    LimitArguments args = new LimitArguments();
    for (Item item : items) {
      args.add(item);
      for (Limit limit : item.limits()) {
        keys.add(tag.isEmpty() ? limit.key() : tag.concat(limit.key()));
      }
    }
    return redis
        .run(SCRIPT, keys, List.of(args.json(), Long.toString(latest)))
        .map(reply -> outcome(items, reply));
  }

  private static Outcome outcome(List<Item> items, RedisReply reply) {
    long micros = Long.parseLong(reply.textAt(0));
    if (reply.size() == 2 && reply.textAt(1).equals(LATE)) {
      return new Outcome(micros, List.of());
    }
    List<Answer> answers = new ArrayList<>(items.size());
    for (Item item : items) {
      answers.add(Answer.all(item.wanted()));
    }
    for (int i = 1; i < reply.size(); i++) {
      String[] words = reply.textAt(i).split(" ", -1);
      int item = Integer.parseInt(words[0]) - 1;
      answers.set(item, Answer.of(words, items.get(item).limits().size()));
    }
    return new Outcome(micros, answers);
  }

  /// Builds the JSON argument of `limit.lua`. Most items of a run have the same rules; these are
  /// sent once.
  private static final class LimitArguments {
    private final List<List<Limit>> shapes = new ArrayList<>(2);

    private final StringBuilder wanted = new StringBuilder(64);
    private final StringBuilder shapeNumbers = new StringBuilder(64);

    void add(Item item) {
      wanted.append(',').append(item.wanted());
      shapeNumbers.append(',').append(shape(item.limits()));
    }

    private int shape(List<Limit> limits) {
      for (int i = 0; i < shapes.size(); i++) {
        if (alike(shapes.get(i), limits)) {
          return i + 1;
        }
      }
      shapes.add(limits);
      return shapes.size();
    }

    private static boolean alike(List<Limit> one, List<Limit> other) {
      if (one.size() != other.size()) {
        return false;
      }
      for (int i = 0; i < one.size(); i++) {
        Limit a = one.get(i);
        Limit b = other.get(i);
        if (!a.numbers().equals(b.numbers())) {
          return false;
        }
      }
      return true;
    }

    /// The argument in the form that the script's header describes.
    String json() {
      StringBuilder json = new StringBuilder(160 + wanted.length() + shapeNumbers.length());
      json.append("[[");
      shapes.forEach(
          shape -> shape.forEach(l -> json.append('"').append(l.numbers().kind()).append("\",")));
      close(json).append(',');
      column(json, limit -> limit.numbers().p());
      column(json, limit -> limit.numbers().q());
      column(json, limit -> limit.numbers().burst());
      json.append('[');
      int rules = 0;
      for (List<Limit> shape : shapes) {
        json.append('[');
        for (int i = 0; i < shape.size(); i++) {
          json.append(++rules).append(',');
        }
        close(json).append(',');
      }
      return close(json)
          .append(",[")
          .append(wanted, 1, wanted.length())
          .append("],[")
          .append(shapeNumbers, 1, shapeNumbers.length())
          .append("]]")
          .toString();
    }

    private void column(StringBuilder json, ToLongFunction<Limit> number) {
      json.append('[');
      for (List<Limit> shape : shapes) {
        for (Limit limit : shape) {
          json.append(number.applyAsLong(limit)).append(',');
        }
      }
      close(json).append(',');
    }

    /// Ends a list, with its bracket for its last comma.
    private static StringBuilder close(StringBuilder json) {
      json.setCharAt(json.length() - 1, ']');
      return json;
    }
  }
}
