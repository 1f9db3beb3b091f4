package fairgate.gate.limit;

import fairgate.gate.limit.LimitFacts.AddressKey;
import fairgate.gate.limit.LimitFeature.Callers;
import fairgate.gate.limit.LimitFeature.Inspector;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.kernel.DeviceId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Action;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.http.SessionOf;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Checks every request of a route with limits: concurrency, inspectors, then the limits.
final class LimitGuard implements Guard {
  private final Limiter limiter;
  private final LimitReplies replies;
  private final Slots slots;
  private final List<Inspector> inspectors;
  private final Callers callers;
  private final long patienceMillis;

  record Slots(ConcurrencyLimit requests, ConcurrencyLimit streams) {}

  /// @param patience how long a lookup of an account may take; after it the caller counts by its
  ///   address
  LimitGuard(
      Limiter limiter,
      LimitReplies replies,
      Slots slots,
      List<Inspector> inspectors,
      Callers callers,
      Duration patience) {
    this.limiter = limiter;
    this.replies = replies;
    this.slots = slots;
    this.inspectors = List.copyOf(inspectors);
    this.callers = callers;
    this.patienceMillis = patience.toMillis();
  }

  @Override
  public @Nullable RouteGuard routeGuard(Action action, RouteLimits limits) {
    return switch (limits.concurrency()) {
      case NONE -> limits.names().isEmpty() ? null : new LimitRouteGuard(action, limits, null);
      case REQUESTS -> new LimitRouteGuard(action, limits, slots.requests());
      case STREAMS -> new LimitRouteGuard(action, limits, slots.streams());
    };
  }

  private final class LimitRouteGuard implements RouteGuard {
    private final LimitPlan plan;
    private final @Nullable ConcurrencyLimit running;

    /// Whether a signed-in caller counts by its account and not by its address.
    private final boolean countsAccounts;

    private final Function<Request, Optional<String>> tickets;
    private final boolean isForOperators;

    /// Running requests that do not count by address: by this account or ticket, or not at all.
    private final Map<Request, Optional<String>> others = new ConcurrentHashMap<>();

    LimitRouteGuard(Action action, RouteLimits limits, @Nullable ConcurrencyLimit running) {
      List<String> names = limits.names();
      this.plan = limiter.plan(action.method() + action.path(), names);
      this.running = running;
      this.countsAccounts = names.contains("ip") || names.contains("page");
      this.tickets = limits.ticket();
      this.isForOperators = names.contains("admin");
    }

    /// Refuses a flood before its bodies are read, except on routes that show forms again.
    @Override
    public @Nullable Reply enter(Request request) {
      if (callers.isAllowed(request) || (isForOperators && callers.hasOperatorToken(request))) {
        if (running != null) {
          others.put(request, Optional.empty());
        }
        return null;
      }
      long address = AddressKey.number(request.address());
      Future<Optional<String>> lookup = lookup(request);
      String account = lookup.succeeded() ? lookup.result().orElse(null) : null;
      Reply refusal = request.isReceivedBeforeLimits() ? null : known(request, lookup);
      if (refusal != null) {
        return refusal;
      }
      return running == null ? null : take(running, request, address, account);
    }

    /// The refusal of a caller that is known to have used up a limit of the route; null for none.
    /// While a genuine token's account is being looked up, what others at the address have used up
    /// is not held against it.
    private @Nullable Reply known(Request request, Future<Optional<String>> lookup) {
      if (!lookup.isComplete()) {
        return null;
      }
      String ip = AddressKey.of(request.address());
      String account = lookup.succeeded() ? lookup.result().orElse(null) : null;
      LimitVerdict.Refused refused = limiter.cached(plan, ip, account);
      return refused == null ? null : reply(request, refused);
    }

    private @Nullable Reply take(
        ConcurrencyLimit places, Request request, long address, @Nullable String account) {
      if (!places.enter(account == null ? Long.valueOf(address) : account)) {
        return replies.crowded(request, places);
      }
      if (account != null) {
        others.put(request, Optional.of(account));
      }
      return null;
    }

    @Override
    public void left(Request request) {
      if (running == null) {
        return;
      }
      Optional<String> other = others.remove(request);
      if (other == null) {
        running.leave(AddressKey.number(request.address()));
      } else {
        other.ifPresent(running::leave);
      }
    }

    private Future<Optional<String>> lookup(Request request) {
      return lookup(request, tickets.apply(request));
    }

    private Future<Optional<String>> lookup(Request request, Optional<String> ticket) {
      if (ticket.isPresent()) {
        return Future.succeededFuture(ticket);
      }
      return countsAccounts ? callers.account(request) : Callers.GUEST;
    }

    /// Inspectors run before this returns: what they find out may be bound to the call.
    @Override
    public Future<Optional<Reply>> judge(Request request) {
      boolean allowed = callers.isAllowed(request);
      LimitFacts address = allowed ? LimitFacts.NONE : LimitFacts.of(request.address());
      LimitFacts facts = facts(request, address, limiter.needs(plan));
      for (Inspector inspector : inspectors) {
        facts = inspector.inspect(request, facts);
      }
      Optional<String> ticket = allowed ? Optional.empty() : tickets.apply(request);
      if (ticket.isPresent()) {
        facts = facts.withoutNetworks();
      }
      Future<Optional<String>> lookup = allowed ? Callers.GUEST : lookup(request, ticket);
      if (lookup.isComplete()) {
        return check(request, facts, lookup.succeeded() ? lookup.result() : Optional.empty());
      }
      LimitFacts known = facts;
      return lookup
          .timeout(patienceMillis, TimeUnit.MILLISECONDS)
          .otherwise(Optional.empty())
          .compose(account -> check(request, known, account));
    }

    private Future<Optional<Reply>> check(
        Request request, LimitFacts facts, Optional<String> signedIn) {
      Future<LimitVerdict> verdict = limiter.check(plan, facts.withAccount(signedIn.orElse(null)));
      if (verdict.isComplete() && verdict.result() instanceof LimitVerdict.Granted granted) {
        request.whenUnserved(granted.giveBack());
        return PASS;
      }
      return verdict.map(word -> Optional.ofNullable(answer(word, request)));
    }

    private @Nullable Reply answer(LimitVerdict verdict, Request request) {
      return switch (verdict) {
        case LimitVerdict.Granted(Runnable giveBack) -> {
          request.whenUnserved(giveBack);
          yield null;
        }
        case LimitVerdict.Refused refused -> reply(request, refused);
        case LimitVerdict.Replayed() -> LimitReplies.replayed();
        case LimitVerdict.Unavailable() -> LimitReplies.unavailable();
      };
    }

    private Reply reply(Request request, LimitVerdict.Refused refused) {
      return refused.reply(() -> replies.refused(request, refused));
    }
  }

  private static final Set<Dimension> BY_COOKIE =
      EnumSet.of(Dimension.USER, Dimension.DEVICE, Dimension.NEW_BROWSER);

  /// The facts that some limit needs. Verifying the device cookie costs a signature.
  private static LimitFacts facts(Request request, LimitFacts facts, Set<Dimension> needs) {
    LimitFacts more = facts;
    if (needs.contains(Dimension.SESSION)) {
      SessionId session = SessionOf.optional(request);
      more = more.withSession(session == null ? null : session.value());
    }
    if (needs.stream().anyMatch(BY_COOKIE::contains)) {
      DeviceId device = request.returning();
      String name = device == null ? null : device.value();
      more = more.withDevice(name).withUser(name);
    }
    return more;
  }

  /// Limits the requests or streams that one caller has running on this node. A caller is an
  /// address, or the account of a signed-in caller.
  ///
  /// Counted in memory and not in Redis: it protects this node's connections and handlers, it works
  /// while Redis is away, and a node that dies leaves nothing counted. With n nodes a caller may
  /// have n times as many running. One entry for each caller that has something running.
  static final class ConcurrencyLimit {
    private final int max;
    private final Map<Object, Integer> running = new ConcurrentHashMap<>();

    ConcurrencyLimit(int max) {
      this.max = max;
    }

    int max() {
      return max;
    }

    /// Takes one place; false when none is free. The caller of a taken place must call `leave`.
    ///
    /// @param who the number of an address, or the id of an account
    boolean enter(Object who) {
      if (running.merge(who, 1, Integer::sum) <= max) {
        return true;
      }
      leave(who);
      return false;
    }

    void leave(Object who) {
      running.computeIfPresent(who, (_, count) -> count == 1 ? null : count - 1);
    }

    int callers() {
      return running.size();
    }

    /// The highest number running for one caller.
    int highest() {
      return running.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }
  }
}
