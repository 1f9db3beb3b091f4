package fairgate.gate.limit;

import fairgate.gate.limit.LimitTable.Row;
import fairgate.gate.limit.Standings.Standing;
import fairgate.kernel.DeviceId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Stands before every route that has limits: counts what runs, hears the inspectors, and has the
/// limits judged.
final class LimitGuard implements Guard {
  private final Limiter limiter;
  private final LimitReplies replies;
  private final Slots requests;
  private final Slots streams;
  private final List<Inspector> inspectors;
  private final Standings standings;

  LimitGuard(
      Limiter limiter,
      LimitReplies replies,
      Slots requests,
      Slots streams,
      List<Inspector> inspectors) {
    this.standings = new Standings(limiter.nanos());
    this.limiter = limiter;
    this.replies = replies;
    this.requests = requests;
    this.streams = streams;
    this.inspectors = List.copyOf(inspectors);
  }

  @Override
  public @Nullable Watch watch(Method method, String path) {
    Row row = LimitTable.of(method + " " + path);
    return switch (row.slots()) {
      case NONE -> row.limits().isEmpty() ? null : new RouteWatch(row, null);
      case REQUESTS -> new RouteWatch(row, requests);
      case STREAMS -> new RouteWatch(row, streams);
    };
  }

  private final class RouteWatch implements Watch {
    private final LimitPlan plan;
    private final @Nullable Slots slots;

    RouteWatch(Row row, @Nullable Slots slots) {
      this.plan = limiter.plan(row.route().replace(" ", ""), row.limits());
      this.slots = slots;
    }

    /// A flood ends here, before its bodies are taken in: whatever else the request is, its address
    /// has used up a limit.
    @Override
    public @Nullable Reply enter(Request request) {
      Standing standing =
          standings.find(plan, AddressKey.number(request.address()), limiter.policy());
      if (standing != null) {
        limiter.again(standing.refused());
        return standing.reply();
      }
      boolean room = slots == null || slots.enter(AddressKey.number(request.address()));
      return room || slots == null ? null : replies.crowded(slots);
    }

    @Override
    public void left(Request request) {
      if (slots != null) {
        slots.leave(AddressKey.number(request.address()));
      }
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      LimitFacts facts = facts(request, limiter.needs(plan));
      for (Inspector inspector : inspectors) {
        switch (inspector.inspect(request, facts)) {
          case Inspector.Finding.Facts(LimitFacts more) -> facts = more;
          case Inspector.Finding.Stop(Reply reply) -> {
            return Future.succeededFuture(Optional.of(reply));
          }
        }
      }
      long asked = standings.now();
      Policy policy = limiter.policy();
      Future<LimitVerdict> verdict = limiter.check(plan, facts);
      if (verdict.isComplete() && verdict.result() instanceof LimitVerdict.Granted) {
        return PASS;
      }
      return verdict.map(word -> Optional.ofNullable(answer(word, request, policy, asked)));
    }

    private @Nullable Reply answer(
        LimitVerdict verdict, Request request, Policy policy, long asked) {
      return switch (verdict) {
        case LimitVerdict.Granted() -> null;
        case LimitVerdict.Refused refused -> {
          Reply reply = replies.refused(refused);
          long address = AddressKey.number(request.address());
          standings.note(plan, address, policy, refused, reply, asked);
          yield reply;
        }
        case LimitVerdict.Replayed() -> LimitReplies.replayed();
        case LimitVerdict.Unavailable() -> LimitReplies.unavailable();
      };
    }
  }

  /// Only what some limit counts by: telling the browser costs a signature.
  private static LimitFacts facts(Request request, Set<Dimension> needs) {
    LimitFacts facts = LimitFacts.of(request.address());
    if (needs.contains(Dimension.SESSION)) {
      SessionId session = SessionOf.optional(request);
      facts = facts.withSession(session == null ? null : session.value());
    }
    if (needs.contains(Dimension.USER) || needs.contains(Dimension.DEVICE)) {
      // Who brings no cookie of ours is somebody new each time; the address counts him.
      DeviceId device = request.returning();
      String name = device == null ? null : device.value();
      facts = facts.withDevice(name).withUser(name);
    }
    return facts;
  }
}
