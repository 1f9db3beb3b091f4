package fairgate.crowd.rehearsal;

import fairgate.crowd.Answer;
import fairgate.crowd.rehearsal.Tally.Step;

/// One session a farm tries to get: no thinking, looks far more often than it is asked to, takes as
/// many units as it can, and sends its purchase twice. Half of a farm's bots keep no cookies, so
/// that each is a new device; the others are many sessions of few devices.
final class Bot {
  private static final int LOOK_MS = 400;
  private static final int RETRY_MS = 300;
  private static final int MOST_TRIES = 60;
  private static final int GREED = 2;

  private final RehearsalContext context;
  private final Browser browser;
  private final Runnable done;
  private final String key;
  private String session = "";
  private int tries;
  private int want = GREED;
  private boolean hadItsTurn;

  Bot(RehearsalContext context, Browser browser, int number, Runnable done) {
    this.context = context;
    this.browser = browser;
    this.key = "bot-" + number;
    this.done = done;
  }

  /// Joins with a proof the farm has worked out by now.
  void come() {
    context.tally().stepped(Kind.BOT, Step.CAME, 1);
    knock();
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
              if (answer.ok() && !session.isEmpty()) {
                context.tally().stepped(Kind.BOT, Step.JOINED, 1);
                tries = 0;
                look();
              } else if (again(answer)) {
                context.later(RETRY_MS, this::knock);
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
    context
        .status(browser, session)
        .onSuccess(
            answer -> {
              switch (answer.text("queue_status")) {
                case "ready_to_purchase" -> ready(answer.text("purchase_token"));
                case "purchased", "expired" -> leave();
                case "" -> {
                  if (again(answer)) {
                    context.later(RETRY_MS, this::look);
                  } else {
                    leave();
                  }
                }
                default -> context.later(LOOK_MS, this::look);
              }
            });
  }

  private void ready(String token) {
    if (!hadItsTurn) {
      hadItsTurn = true;
      context.tally().stepped(Kind.BOT, Step.READY, 1);
    }
    buy(token);
  }

  private void buy(String token) {
    context
        .purchase(browser, session, want, token, key + "-" + want)
        .onSuccess(
            answer -> {
              if (answer.ok()) {
                context.tally().bought(Kind.BOT, answer.text("order_id"), want);
                replay(token, answer.text("order_id"));
              } else if (want > 1 && !answer.unknown()) {
                want = 1;
                context.later(RETRY_MS, this::look);
              } else if (again(answer)) {
                context.later(RETRY_MS, this::look);
              } else {
                leave();
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
                context.tally().bought(Kind.BOT, answer.text("order_id"), want);
              }
              pay(order);
            });
  }

  private void pay(String order) {
    context
        .pay(browser, session, order)
        .onSuccess(
            answer -> {
              if (answer.ok()) {
                context.tally().stepped(Kind.BOT, Step.PAID, 1);
              }
              leave();
            });
  }

  private boolean again(Answer answer) {
    boolean worth = answer.unknown() || answer.status() == 429 || answer.status() == 503;
    return worth && ++tries < MOST_TRIES && !context.over();
  }

  private void leave() {
    context.tally().stepped(Kind.BOT, Step.LEFT, 1);
    done.run();
  }
}
