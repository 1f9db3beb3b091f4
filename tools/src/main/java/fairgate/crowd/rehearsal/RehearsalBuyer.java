package fairgate.crowd.rehearsal;

import fairgate.crowd.Answer;
import fairgate.crowd.rehearsal.Tally.Step;
import java.util.SplittableRandom;

/// One who tries to buy in a rehearsal.
///
/// An honest person has one telephone: arrives, solves the challenge, waits like the page,
/// sometimes reloads, sleeps or gives up, and thinks before it buys and pays. A bot is one session
/// that a farm tries to get: no thinking, looks far more often than it is asked to, takes as many
/// units as it can, and sends its purchase twice. Half of a farm's bots keep no cookies, so that
/// each is a new device; the others are many sessions of few devices.
final class RehearsalBuyer {
  private static final double RELOADS = 0.05;
  private static final double SLEEPS = 0.05;
  private static final double GIVES_UP = 0.05;
  private static final double NEVER_PAYS = 0.05;
  private static final int SLEEP_MS = 20_000;
  private static final int RETRY_MS = 2_000;
  private static final int BOT_LOOK_MS = 400;
  private static final int BOT_RETRY_MS = 300;

  private final RehearsalContext context;
  private final Browser browser;
  private final Kind kind;
  private final SplittableRandom chance;
  private final long workMillis;
  private final String key;
  private final Runnable done;
  private String session = "";
  private long arrived;
  private int tries;
  private int want = 1;
  private boolean slept;
  private boolean hadItsTurn;

  private RehearsalBuyer(
      RehearsalContext context,
      Browser browser,
      Kind kind,
      SplittableRandom chance,
      long workMillis,
      String key,
      Runnable done) {
    this.context = context;
    this.browser = browser;
    this.kind = kind;
    this.chance = chance;
    this.workMillis = workMillis;
    this.key = key;
    this.done = done;
  }

  /// @param workMillis the time that its telephone needs for the challenge
  /// @param done called once, when it has left
  static RehearsalBuyer honest(
      RehearsalContext context,
      Browser browser,
      SplittableRandom chance,
      long workMillis,
      Runnable done) {
    String key = "rehearsal-" + Long.toHexString(chance.nextLong());
    return new RehearsalBuyer(context, browser, Kind.HONEST, chance, workMillis, key, done);
  }

  /// A bot whose proof the farm has worked out when it comes.
  static RehearsalBuyer bot(RehearsalContext context, Browser browser, int number, Runnable done) {
    RehearsalBuyer bot =
        new RehearsalBuyer(
            context, browser, Kind.BOT, new SplittableRandom(number), 0, "bot-" + number, done);
    bot.want = 2;
    return bot;
  }

  void come() {
    arrived = context.now();
    step(Step.CAME);
    if (isBot()) {
      knock();
    } else {
      context
          .page(browser)
          .onSuccess(_ -> context.later(between(200, 1_500) + workMillis, this::knock));
    }
  }

  private boolean isBot() {
    return kind == Kind.BOT;
  }

  private void step(Step step) {
    context.tally().stepped(kind, step, 1);
  }

  private void knock() {
    context.challenge().token(browser).onSuccess(this::join);
  }

  private void join(String token) {
    context
        .join(browser, token)
        .onSuccess(
            answer -> {
              session = answer.text("session_id");
              if (!session.isEmpty() && (answer.ok() || !isBot())) {
                step(Step.JOINED);
                tries = 0;
                look();
              } else {
                againOrLeave(answer, this::knock);
              }
            });
  }

  private void look() {
    if (context.over()) {
      leave();
      return;
    }
    context.status(browser, session).onSuccess(this::seen);
  }

  private void seen(Answer answer) {
    switch (answer.text("queue_status")) {
      case "ready_to_purchase" -> ready(answer);
      case "purchased", "expired" -> leave();
      case "" -> againOrLeave(answer, this::look);
      default -> waitOn(answer);
    }
  }

  private void waitOn(Answer answer) {
    if (isBot()) {
      context.later(BOT_LOOK_MS, this::look);
      return;
    }
    tries = 0;
    long advised = Math.max(50, answer.number("poll_after_ms"));
    if (chance.nextDouble() < GIVES_UP / 20) {
      leave();
    } else if (!slept && chance.nextDouble() < SLEEPS / 10) {
      slept = true;
      context.later(advised + between(5_000, SLEEP_MS), this::look);
    } else if (chance.nextDouble() < RELOADS / 10) {
      context.page(browser).onSuccess(_ -> look());
    } else {
      context.later(advised + between(0, 200), this::look);
    }
  }

  private void ready(Answer answer) {
    if (!hadItsTurn) {
      hadItsTurn = true;
      step(Step.READY);
    }
    if (isBot()) {
      snatch(answer.text("purchase_token"));
      return;
    }
    context.tally().waited(arrived, context.now() - arrived);
    context.later(between(800, 4_000), () -> refresh(answer));
  }

  /// Requests its status again, like the page, so that its token is fresh.
  private void refresh(Answer before) {
    context
        .status(browser, session)
        .onSuccess(answer -> buy((answer.ok() ? answer : before).text("purchase_token")));
  }

  private void buy(String token) {
    context
        .purchase(browser, session, want, token, key)
        .onSuccess(
            answer -> {
              String order = answer.text("order_id");
              if (answer.ok()) {
                context.tally().bought(kind, order, want);
                settle(order);
              } else if ("INVALID_PURCHASE_TOKEN".equals(answer.error()) || again(answer)) {
                tries++;
                context.later(pause(answer), () -> refresh(answer));
              } else {
                leave();
              }
            });
  }

  /// Buys like a bot: at once, with one unit less when it is refused.
  private void snatch(String token) {
    context
        .purchase(browser, session, want, token, key + "-" + want)
        .onSuccess(
            answer -> {
              if (answer.ok()) {
                context.tally().bought(kind, answer.text("order_id"), want);
                replay(token, answer.text("order_id"));
              } else if (want > 1 && !answer.unknown()) {
                want = 1;
                context.later(BOT_RETRY_MS, this::look);
              } else {
                againOrLeave(answer, this::look);
              }
            });
  }

  /// The same token under another key: a server that sells twice for it is broken.
  private void replay(String token, String order) {
    context
        .purchase(browser, session, want, token, key + "-again")
        .onSuccess(
            answer -> {
              if (answer.ok()) {
                context.tally().bought(kind, answer.text("order_id"), want);
              }
              pay(order);
            });
  }

  private void settle(String order) {
    if (chance.nextDouble() < NEVER_PAYS) {
      leave();
    } else {
      context.later(between(500, 4_000), () -> pay(order));
    }
  }

  private void pay(String order) {
    context
        .pay(browser, session, order)
        .onSuccess(
            answer -> {
              if (answer.ok()) {
                step(Step.PAID);
              }
              leave();
            });
  }

  private void againOrLeave(Answer answer, Runnable step) {
    if (again(answer)) {
      context.later(pause(answer), step);
    } else {
      leave();
    }
  }

  /// Repeats a call without a reply, and one that the server asked to repeat later.
  private boolean again(Answer answer) {
    boolean worth = answer.unknown() || answer.status() == 429 || answer.status() == 503;
    return worth && ++tries < kind.maxTries() && !context.over();
  }

  /// A bot does not wait as long as it is asked to.
  private long pause(Answer answer) {
    if (isBot()) {
      return BOT_RETRY_MS;
    }
    long asked = 1_000 * answer.number("retry_after");
    return (asked > 0 ? asked : RETRY_MS) + between(0, 500);
  }

  private long between(int least, int max) {
    return chance.nextInt(least, max + 1);
  }

  private void leave() {
    step(Step.LEFT);
    done.run();
  }
}
