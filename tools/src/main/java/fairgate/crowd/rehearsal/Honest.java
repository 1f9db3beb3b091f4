package fairgate.crowd.rehearsal;

import fairgate.crowd.Answer;
import fairgate.crowd.rehearsal.Tally.Step;
import java.util.SplittableRandom;

/// A person with one telephone: arrives, solves the challenge, waits like the page, sometimes
/// reloads, sleeps or gives up, and thinks before it buys and pays.
final class Honest {
  private static final double RELOADS = 0.05;
  private static final double SLEEPS = 0.05;
  private static final double GIVES_UP = 0.05;
  private static final double NEVER_PAYS = 0.05;
  private static final int SLEEP_MS = 20_000;
  private static final int RETRY_MS = 2_000;
  private static final int MOST_TRIES = 20;

  private final RehearsalContext context;
  private final Browser browser;
  private final SplittableRandom chance;
  private final Runnable done;
  private final long workMillis;
  private final String key;
  private String session = "";
  private long arrived;
  private int tries;
  private boolean slept;

  /// @param workMillis the time that its telephone needs for the challenge
  /// @param done called once, when it has left
  Honest(
      RehearsalContext context,
      Browser browser,
      SplittableRandom chance,
      long workMillis,
      Runnable done) {
    this.context = context;
    this.browser = browser;
    this.chance = chance;
    this.workMillis = workMillis;
    this.done = done;
    this.key = "rehearsal-" + Long.toHexString(chance.nextLong());
  }

  void come() {
    arrived = context.now();
    context.tally().stepped(Kind.HONEST, Step.CAME, 1);
    context
        .page(browser)
        .onSuccess(_ -> context.later(between(200, 1_500) + workMillis, this::knock));
  }

  private void knock() {
    context.challenge().token(browser).onSuccess(token -> join(token));
  }

  private void join(String token) {
    context
        .join(browser, token)
        .onSuccess(
            answer -> {
              session = answer.text("session_id");
              if (!session.isEmpty()) {
                context.tally().stepped(Kind.HONEST, Step.JOINED, 1);
                tries = 0;
                look();
              } else if (again(answer)) {
                context.later(pause(answer), this::knock);
              } else {
                leave();
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
      case "" -> {
        if (again(answer)) {
          context.later(pause(answer), this::look);
        } else {
          leave();
        }
      }
      default -> {
        tries = 0;
        waitOn(Math.max(50, answer.number("poll_after_ms")));
      }
    }
  }

  private void waitOn(long advised) {
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
    context.tally().stepped(Kind.HONEST, Step.READY, 1);
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
        .purchase(browser, session, 1, token, key)
        .onSuccess(
            answer -> {
              String order = answer.text("order_id");
              if (answer.ok()) {
                context.tally().bought(Kind.HONEST, order, 1);
                settle(order);
              } else if ("INVALID_PURCHASE_TOKEN".equals(answer.error()) || again(answer)) {
                tries++;
                context.later(pause(answer), () -> refresh(answer));
              } else {
                leave();
              }
            });
  }

  private void settle(String order) {
    if (chance.nextDouble() < NEVER_PAYS) {
      leave();
      return;
    }
    context.later(
        between(500, 4_000),
        () ->
            context
                .pay(browser, session, order)
                .onSuccess(
                    answer -> {
                      if (answer.ok()) {
                        context.tally().stepped(Kind.HONEST, Step.PAID, 1);
                      }
                      leave();
                    }));
  }

  /// Repeats a call without a reply, and one that the server asked to repeat later.
  private boolean again(Answer answer) {
    boolean worth = answer.unknown() || answer.status() == 429 || answer.status() == 503;
    return worth && ++tries < MOST_TRIES && !context.over();
  }

  private long pause(Answer answer) {
    long asked = 1_000 * answer.number("retry_after");
    return (asked > 0 ? asked : RETRY_MS) + between(0, 500);
  }

  private long between(int least, int max) {
    return chance.nextInt(least, max + 1);
  }

  private void leave() {
    context.tally().stepped(Kind.HONEST, Step.LEFT, 1);
    done.run();
  }
}
