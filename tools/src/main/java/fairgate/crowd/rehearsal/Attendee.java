package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.rehearsal.Attendance.End;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// A simulated person of a named crowd: takes a place, waits for its turn, buys and pays, in the
/// way of its profile.
final class Attendee {
  private static final int RETRY_MS = 300;
  private static final int PATIENT_RETRY_MS = 2_000;
  private static final int MOST_PROOFS = 5;

  /// A patient person asks earlier than told once in so many times: a reload, a second tab.
  private static final int RELOADS = 15;

  /// Refusals that say something about the sale or the request, and nothing about the person.
  private static final Set<String> NO_DECISION =
      Set.of(
          "INSUFFICIENT_STOCK",
          "UNITS_RESERVED",
          "SALE_CLOSED",
          "SALE_NOT_OPEN",
          "NOT_READY",
          "NOT_IN_QUEUE",
          "NOT_IN_ACTIVE",
          "TIMEOUT",
          "SESSION_NOT_FOUND",
          "ALREADY_IN_QUEUE",
          "ALREADY_PURCHASED",
          "INVALID_PURCHASE_TOKEN",
          "ORDER_STATE_CONFLICT");

  private static final Set<String> SALE_IS_OVER = Set.of("INSUFFICIENT_STOCK", "SALE_CLOSED");
  private static final Set<String> ONCE_MORE =
      Set.of("INVALID_PURCHASE_TOKEN", "SALE_NOT_OPEN", "NOT_READY");

  private final RehearsalContext context;
  private final VisitorProfile profile;
  private final SplittableRandom chance;
  private final IntSupplier placeNumber;
  private final Runnable done;
  private final Attendance attendance = new Attendance();
  private final String key;
  private final boolean patient;
  private Browser browser;
  private Device.@Nullable Client program;
  private @Nullable ObjectNode behavior;
  private String session = "";
  private String lastToken = "";
  private int want;

  /// Whether the last purchase got no reply, or one that leaves its effect open.
  private boolean unanswered;

  /// @param patient whether it pauses as long as it is asked to
  /// @param placeNumber counts the places of the crowd from 0
  /// @param done called once, when it has left
  Attendee(
      RehearsalContext context,
      Browser browser,
      VisitorProfile profile,
      boolean patient,
      SplittableRandom chance,
      IntSupplier placeNumber,
      Runnable done) {
    this.context = context;
    this.browser = browser;
    this.profile = profile;
    this.patient = patient;
    this.chance = chance;
    this.placeNumber = placeNumber;
    this.done = done;
    this.want = profile.pace().units();
    this.key = "zoo-" + Long.toHexString(chance.nextLong());
  }

  Attendance attendance() {
    return attendance;
  }

  Browser browser() {
    return browser;
  }

  /// Its page sends these numbers with the join.
  void behave(@Nullable ObjectNode numbers) {
    behavior = numbers;
  }

  /// From its place on, a program with its cookies takes over.
  void handOverTo(Device.Client client) {
    program = client;
  }

  /// Arrives at a random time between the earliest and the latest.
  ///
  /// @param opensAt the opening, in milliseconds of the run
  void come(long opensAt) {
    long earliest = profile.earliest().toMillis();
    long latest = profile.latest().toMillis();
    long at = opensAt + earliest + (long) ((latest - earliest) * chance.nextDouble());
    context.later(
        at - context.now(),
        () -> {
          attendance.arrived(context.now(), opensAt);
          page(() -> prove(opensAt));
        });
  }

  private void page(Runnable next) {
    boolean isPerson = program == null || !attendance.hasPlace();
    if (profile.opensPages() && isPerson) {
      context.page(browser).onSuccess(_ -> context.later(between(200, 1_000), next));
    } else {
      next.run();
    }
  }

  private void prove(long opensAt) {
    context
        .challenge()
        .proof(browser)
        .onSuccess(
            proof -> {
              if (proof.token().isEmpty()) {
                retry("no challenge", null, () -> prove(opensAt));
                return;
              }
              attendance.proved(proof.hashes());
              long millis = proof.simulated() ? proof.hashes() * 1_000 / profile.hashRate() : 0;
              context.later(millis, () -> join(proof.token(), opensAt));
            });
  }

  private void join(String proof, long opensAt) {
    context
        .join(browser, proof, behavior)
        .map(this::noted)
        .onSuccess(
            answer -> {
              session = answer.text("session_id");
              if (!session.isEmpty()) {
                attendance.joined(session);
                handOver();
                waitForTurn(opensAt);
              } else if (!answer.text("step_url").isEmpty() && attendance.proofs() < MOST_PROOFS) {
                attendance.refused(answer.error());
                step(answer.text("step_url").replaceFirst(".*for=", ""), opensAt);
              } else if (isAboutTheProof(answer) && attendance.proofs() < MOST_PROOFS) {
                retry(answer.error(), answer, () -> prove(opensAt));
              } else if (isTemporary(answer)) {
                retry(answer.error(), answer, () -> join(proof, opensAt));
              } else {
                refused(answer);
              }
            });
  }

  /// Does the alternative of a step, which every device can: a dearer proof of work.
  private void step(String ticket, long opensAt) {
    context
        .challenge()
        .harder(browser)
        .onSuccess(
            proof -> {
              attendance.proved(proof.hashes());
              long millis = proof.simulated() ? proof.hashes() * 1_000 / profile.hashRate() : 0;
              context.later(
                  millis,
                  () ->
                      context
                          .pass(browser, ticket, proof.token())
                          .onSuccess(
                              answer -> {
                                if (answer.ok()) {
                                  prove(opensAt);
                                } else {
                                  retry(answer.error(), answer, () -> prove(opensAt));
                                }
                              }));
            });
  }

  private void handOver() {
    if (program != null) {
      browser = browser.handedTo(program);
    }
  }

  /// Keeps what the reply decides about the person.
  private Answer noted(Answer answer) {
    String error = answer.error();
    String seat = answer.text("seat");
    String appeal = answer.text("appeal_url");
    Grade.of(answer).ifPresent(attendance::graded);
    if (!seat.isEmpty() && !appeal.isEmpty()) {
      attendance.seatedBehind(!answer.text("reason").isEmpty());
    }
    if (!appeal.isEmpty()) {
      attendance.decided(seat.isEmpty() ? error : "seat " + seat, appeal);
    } else if (isRefusal(answer) && !NO_DECISION.contains(error)) {
      attendance.refusedFinally(error);
    }
    return answer;
  }

  private static boolean isRefusal(Answer answer) {
    return answer.status() >= 400 && answer.status() < 500;
  }

  private static boolean isAboutTheProof(Answer answer) {
    return "INVALID_TURNSTILE_TOKEN".equals(answer.error()) || answer.error().contains("CHALLENGE");
  }

  private void waitForTurn(long opensAt) {
    if (!profile.shows()) {
      leave(End.ABSENT);
    } else if (profile.pace().asksFromOpening()) {
      long spread = profile.pace().spread().toMillis() * placeNumber.getAsInt();
      context.later(opensAt - context.now() + spread + between(0, 300), this::look);
    } else {
      look();
    }
  }

  private void look() {
    if (context.over()) {
      leave(End.SOLD_OUT);
      return;
    }
    context.status(browser, session).onSuccess(this::seen);
  }

  private void seen(Answer answer) {
    if (!answer.ok()) {
      Answer _ = noted(answer);
    }
    switch (answer.text("queue_status")) {
      case "ready_to_purchase" -> {
        attendance.turn(context.now());
        lastToken = answer.text("purchase_token");
        long thinks = profile.pace().thinks().toMillis();
        context.later(thinks == 0 ? 1 : between(thinks / 2, 2 * thinks), this::think);
      }
      case "purchased" -> {
        if (unanswered) {
          attendance.bought(want);
        }
        leave(End.BOUGHT);
      }
      case "expired" -> leave(End.EXPIRED);
      case "" -> {
        if (isTemporary(answer)) {
          retry(answer.error(), answer, this::look);
        } else {
          refused(answer);
        }
      }
      default -> context.later(pause(answer), () -> page(this::look));
    }
  }

  private long pause(Answer answer) {
    Duration own = profile.pace().looksEvery();
    long usual = own.isZero() ? Math.max(50, answer.number("poll_after_ms")) : own.toMillis();
    if (patient && chance.nextInt(RELOADS) == 0) {
      return usual / 3;
    }
    return usual + between(0, profile.pace().slower().toMillis());
  }

  /// One who thinks asks again before buying, so that its token is fresh.
  private void think() {
    if (profile.pace().thinks().isZero()) {
      buy();
      return;
    }
    context
        .status(browser, session)
        .onSuccess(
            answer -> {
              if ("expired".equals(answer.text("queue_status"))) {
                leave(End.EXPIRED);
                return;
              }
              lastToken = answer.ok() ? answer.text("purchase_token") : lastToken;
              buy();
            });
  }

  private void buy() {
    context
        .purchase(browser, session, want, lastToken, key + "-" + want)
        .map(this::noted)
        .onSuccess(
            answer -> {
              unanswered = answer.unknown() || answer.status() == 503;
              if (answer.ok()) {
                attendance.bought(want);
                pay(answer.text("order_id"));
              } else if (SALE_IS_OVER.contains(answer.error()) && want == 1) {
                leave(End.SOLD_OUT);
              } else if (want > 1 && !isTemporary(answer) && !ONCE_MORE.contains(answer.error())) {
                want = 1;
                context.later(RETRY_MS, this::look);
              } else if (isTemporary(answer) || ONCE_MORE.contains(answer.error())) {
                retry(answer.error(), answer, this::look);
              } else {
                refused(answer);
              }
            });
  }

  private void pay(String order) {
    context
        .pay(browser, session, order)
        .onSuccess(
            answer -> {
              if (isTemporary(answer) && !context.over()) {
                context.later(PATIENT_RETRY_MS, () -> pay(order));
              } else {
                leave(End.BOUGHT);
              }
            });
  }

  /// Whether the call is worth repeating as it is.
  private static boolean isTemporary(Answer answer) {
    return answer.unknown() || answer.status() == 429 || answer.status() == 503;
  }

  private void retry(String code, @Nullable Answer answer, Runnable step) {
    attendance.refused(code.isEmpty() ? "no answer" : code);
    if (context.over()) {
      leave(attendance.hasPlace() ? End.SOLD_OUT : End.REFUSED);
      return;
    }
    long asked = answer == null ? 0 : 1_000 * answer.number("retry_after");
    long usual = patient ? Math.max(asked, PATIENT_RETRY_MS) : RETRY_MS;
    context.later(usual + between(0, 500), step);
  }

  private void refused(Answer answer) {
    attendance.refused(answer.error().isEmpty() ? "HTTP " + answer.status() : answer.error());
    leave(SALE_IS_OVER.contains(answer.error()) ? End.SOLD_OUT : End.REFUSED);
  }

  private long between(long least, long max) {
    return chance.nextLong(least, max + 1);
  }

  private void leave(End how) {
    attendance.left(how);
    done.run();
  }
}
