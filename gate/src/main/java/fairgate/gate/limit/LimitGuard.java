package fairgate.gate.limit;

import fairgate.gate.limit.LimitTable.Row;
import fairgate.gate.limit.RefusalCache.CachedRefusal;
import fairgate.kernel.DeviceId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Action;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Checks every request of a route with limits: concurrency, inspectors, then the limits.
final class LimitGuard implements Guard {
  private final Limiter limiter;
  private final LimitReplies replies;
  private final ConcurrencyLimit requests;
  private final ConcurrencyLimit streams;
  private final List<Inspector> inspectors;
  private final RefusalCache refusals;

  LimitGuard(
      Limiter limiter,
      LimitReplies replies,
      ConcurrencyLimit requests,
      ConcurrencyLimit streams,
      List<Inspector> inspectors) {
    this.refusals = new RefusalCache(limiter.nanos());
    this.limiter = limiter;
    this.replies = replies;
    this.requests = requests;
    this.streams = streams;
    this.inspectors = List.copyOf(inspectors);
  }

  @Override
  public @Nullable RouteGuard routeGuard(Action action) {
    Row row = LimitTable.of(action.toString());
    return switch (row.concurrency()) {
      case NONE -> row.limits().isEmpty() ? null : new LimitRouteGuard(row, null);
      case REQUESTS -> new LimitRouteGuard(row, requests);
      case STREAMS -> new LimitRouteGuard(row, streams);
    };
  }

  private final class LimitRouteGuard implements RouteGuard {
    private final LimitPlan plan;
    private final @Nullable ConcurrencyLimit slots;

    LimitRouteGuard(Row row, @Nullable ConcurrencyLimit slots) {
      this.plan = limiter.plan(row.route().replace(" ", ""), row.limits());
      this.slots = slots;
    }

    /// Refuses a flood before its bodies are read: the address is known to have used up a limit of
    /// the route.
    @Override
    public @Nullable Reply enter(Request request) {
      CachedRefusal refusal =
          refusals.find(plan, AddressKey.number(request.address()), limiter.policy());
      if (refusal != null) {
        limiter.again(refusal.refused());
        return refusal.reply();
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
      long asked = refusals.now();
      Policy policy = limiter.policy();
      Future<LimitVerdict> verdict = limiter.check(plan, facts);
      if (verdict.isComplete() && verdict.result() instanceof LimitVerdict.Granted granted) {
        request.whenUnserved(granted.giveBack());
        return PASS;
      }
      return verdict.map(word -> Optional.ofNullable(answer(word, request, policy, asked)));
    }

    private @Nullable Reply answer(
        LimitVerdict verdict, Request request, Policy policy, long asked) {
      return switch (verdict) {
        case LimitVerdict.Granted(Runnable giveBack) -> {
          request.whenUnserved(giveBack);
          yield null;
        }
        case LimitVerdict.Refused refused -> {
          Reply reply = replies.refused(refused);
          long address = AddressKey.number(request.address());
          refusals.note(plan, address, policy, refused, reply, asked);
          yield reply;
        }
        case LimitVerdict.Replayed() -> LimitReplies.replayed();
        case LimitVerdict.Unavailable() -> LimitReplies.unavailable();
      };
    }
  }

  /// The facts that some limit needs. Verifying the device cookie costs a signature.
  private static LimitFacts facts(Request request, Set<Dimension> needs) {
    LimitFacts facts = LimitFacts.of(request.address());
    if (needs.contains(Dimension.SESSION)) {
      SessionId session = SessionOf.optional(request);
      facts = facts.withSession(session == null ? null : session.value());
    }
    if (needs.contains(Dimension.USER) || needs.contains(Dimension.DEVICE)) {
      // A browser without our cookie counts by its address only.
      DeviceId device = request.returning();
      String name = device == null ? null : device.value();
      facts = facts.withDevice(name).withUser(name);
    }
    return facts;
  }
}
