package fairgate.gate;

import fairgate.kernel.JoinStep;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The steps that a browser must pass before it joins a sale, and the passes of those that it has
/// passed. Thread-safe; never blocks.
///
/// The server stores nothing. A browser that is asked for a step gets a signed ticket, and one that
/// has passed it a signed cookie. Both are bound to the sale and to the browser's device id.
public final class JoinSteps {
  /// The parameter of the step's page that contains the ticket.
  public static final String TICKET = "for";

  /// How long a passed step counts: longer than a sale.
  static final Duration PASS_LIFE = Duration.ofDays(7);

  /// How long the browser has for the step.
  static final Duration TICKET_LIFE = Duration.ofMinutes(30);

  private static final String COOKIE = "fairgate_step_";
  private static final String PASS = "join-step-passed";
  private static final String ASKED = "join-step-asked";
  private static final String UNSENT = "unsent";
  private static final String BEHIND = "behind";

  private final KeyRing keys;
  private final Clock clock;
  private final Map<JoinStep, Predicate<Request>> offers = new EnumMap<>(JoinStep.class);

  public JoinSteps(KeyRing keys, Clock clock) {
    this.keys = keys;
    this.clock = clock;
  }

  /// A step that a browser was asked for.
  ///
  /// @param decision the id of the decision on risk
  public record Ticket(ProductId sale, JoinStep step, String decision) {}

  /// What a browser has passed in a sale.
  ///
  /// @param unsent whether a code could not be sent to it in time, which is not its fault
  /// @param behind whether its buyer chose a place behind the others instead of a step
  public record Passes(Set<JoinStep> steps, boolean unsent, boolean behind) {
    static final Passes NONE = new Passes(Set.of(), false, false);

    public Passes {
      steps = Set.copyOf(steps);
    }
  }

  public sealed interface Standing {
    /// The step was passed, or another one that counts as much.
    record Passed() implements Standing {}

    /// The buyer cannot do the step and has chosen a place behind the others.
    record Behind() implements Standing {}

    /// The step is missing.
    ///
    /// @param url of the page on which it is done
    record Missing(JoinStep step, String url) implements Standing {}
  }

  /// Sets by whom a step is offered. Without this, and to requests that the condition refuses, the
  /// next easier step is offered. Called before requests are served.
  public void offer(JoinStep step, Predicate<Request> condition) {
    offers.put(step, condition);
  }

  public boolean isOffered(JoinStep step, Request request) {
    return switch (step) {
      case WORK -> true;
      case SLIDER, CODE, PASSKEY -> {
        Predicate<Request> condition = offers.get(step);
        yield condition != null && condition.test(request);
      }
    };
  }

  /// Where a join stands that needs this step.
  ///
  /// @param http null when the join came through a channel without a browser, which can do no step
  public Standing standing(
      JoinStep asked, ProductId sale, @Nullable Request http, String decision) {
    if (http == null) {
      return new Standing.Behind();
    }
    Passes passes = passes(http, sale);
    JoinStep step = now(asked, http, passes);
    if (passes.steps().stream().anyMatch(passed -> countsFor(step, passed))) {
      return new Standing.Passed();
    }
    return passes.behind()
        ? new Standing.Behind()
        : new Standing.Missing(step, url(new Ticket(sale, step, decision), http));
  }

  /// Whether a passed step gives a place in order of arrival to a join that needs another one. The
  /// slider has an alternative that costs only time; a code and a passkey have none that costs a
  /// program as little, so who has neither joins behind the others.
  public static boolean countsFor(JoinStep needed, JoinStep passed) {
    return needed.compareTo(JoinStep.SLIDER) <= 0 || passed.compareTo(needed) >= 0;
  }

  /// The step that is needed now: the wanted one, or the next easier one that is offered. A code
  /// that could not be sent is not asked for again.
  public JoinStep now(JoinStep wanted, Request request, ProductId sale) {
    return now(wanted, request, passes(request, sale));
  }

  private JoinStep now(JoinStep wanted, Request request, Passes passes) {
    JoinStep step = wanted;
    while (!isOffered(step, request) || (step == JoinStep.CODE && passes.unsent())) {
      step = JoinStep.values()[step.ordinal() - 1];
    }
    return step;
  }

  public Passes passes(Request request, ProductId sale) {
    String cookie = request.cookie(COOKIE + sale.value());
    return cookie == null
        ? Passes.NONE
        : verified(PASS, cookie, about(request, sale)).map(JoinSteps::passes).orElse(Passes.NONE);
  }

  /// The reply with the pass of a step, beside those that the browser has.
  public Reply passed(Reply reply, Request request, ProductId sale, JoinStep step) {
    return passed(reply, request, sale, step, passes(request, sale).behind());
  }

  /// The same for a step that stands in for a harder one: the browser joins behind the others while
  /// that is missing.
  public Reply behind(Reply reply, Request request, ProductId sale, JoinStep step) {
    return passed(reply, request, sale, step, true);
  }

  private Reply passed(
      Reply reply, Request request, ProductId sale, JoinStep step, boolean behind) {
    Passes before = passes(request, sale);
    Set<JoinStep> steps = EnumSet.of(step);
    steps.addAll(before.steps());
    return put(reply, request, sale, new Passes(steps, before.unsent(), behind));
  }

  /// The reply after which a code counts as not sent in this browser: an easier step gives it a
  /// place in order as well.
  public Reply unsent(Reply reply, Request request, ProductId sale) {
    Passes before = passes(request, sale);
    return put(reply, request, sale, new Passes(before.steps(), true, before.behind()));
  }

  /// The ticket in a text; empty if it is too old, of another browser, or not ours.
  public Optional<Ticket> ticket(String text, Request request, ProductId sale) {
    return verified(ASKED, text, about(request, sale))
        .flatMap(
            word -> {
              int dash = word.indexOf('~');
              return dash < 0
                  ? Optional.empty()
                  : JoinStep.named(word.substring(0, dash))
                      .map(step -> new Ticket(sale, step, word.substring(dash + 1)));
            });
  }

  private String url(Ticket ticket, Request request) {
    String text =
        signed(
            ASKED,
            ticket.step().word() + '~' + ticket.decision(),
            TICKET_LIFE,
            about(request, ticket.sale()));
    return "/p/" + ticket.sale().value() + "/step?" + TICKET + '=' + text;
  }

  private Reply put(Reply reply, Request request, ProductId sale, Passes passes) {
    StringBuilder words = new StringBuilder();
    passes.steps().stream().sorted().forEach(step -> words.append(step.word()).append('~'));
    words.append(passes.unsent() ? UNSENT + '~' : "").append(passes.behind() ? BEHIND : "");
    return reply.cookie(
        COOKIE + sale.value(),
        signed(PASS, words.toString(), PASS_LIFE, about(request, sale)),
        PASS_LIFE);
  }

  private static Passes passes(String words) {
    List<String> all = List.of(words.split("~", -1));
    Set<JoinStep> steps =
        all.stream().map(JoinStep::named).flatMap(Optional::stream).collect(Collectors.toSet());
    return new Passes(steps, all.contains(UNSENT), all.contains(BEHIND));
  }

  private static String about(Request request, ProductId sale) {
    return sale.value() + '|' + request.device().id().value();
  }

  /// `words.expiry.key.signature`, of characters that cookies and addresses allow.
  private String signed(String purpose, String words, Duration life, String about) {
    long end = clock.instant().plus(life).getEpochSecond();
    String keyId = keys.current();
    byte[] signature = keys.sign(keyId, purpose, words + '|' + end + '|' + about);
    return words
        + '.'
        + end
        + '.'
        + keyId
        + '.'
        + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
  }

  /// The words of a signed text; empty if it is not ours, not about this, or too old.
  private Optional<String> verified(String purpose, String text, String about) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 4 || !parts[1].matches("[0-9]{1,15}")) {
      return Optional.empty();
    }
    byte[] signature;
    try {
      signature = Base64.getUrlDecoder().decode(parts[3]);
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
    boolean isOurs =
        keys.verify(parts[2], purpose, parts[0] + '|' + parts[1] + '|' + about, signature);
    return isOurs && Long.parseLong(parts[1]) > clock.instant().getEpochSecond()
        ? Optional.of(parts[0])
        : Optional.empty();
  }
}
