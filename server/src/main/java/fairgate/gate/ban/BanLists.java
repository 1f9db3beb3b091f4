package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SessionId;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Everything in force on this node: what PostgreSQL holds, and what a feed says. Readers never
/// wait.
final class BanLists {
  private final BanTable allowed = new BanTable();
  private final BanTable banned = new BanTable();
  private final KeyRing keys;
  private final ToLongFunction<ClientAddress> asns;

  /// Replaced as a whole when the feed starts anew.
  private volatile BanTable fed = new BanTable();

  /// @param asns an address's network operator by number; 0 = unknown
  BanLists(KeyRing keys, ToLongFunction<ClientAddress> asns) {
    this.keys = keys;
    this.asns = asns;
  }

  BanTable of(Ban.Effect effect) {
    return switch (effect) {
      case BAN -> banned;
      case ALLOW -> allowed;
    };
  }

  BanTable fed() {
    return fed;
  }

  void fed(BanTable table) {
    fed = table;
  }

  /// Takes over an entry as PostgreSQL has it now.
  void apply(BanEntry entry, long now) {
    Ban ban = entry.ban();
    BanTable table = of(ban.effect());
    if (entry.liftedAt() == 0 && ban.holds(now)) {
      table.put(ban);
      return;
    }
    Ban held = table.get(ban.subject());
    // A newer one of the same subject stays.
    if (held != null && held.id() == ban.id()) {
      table.remove(ban.subject());
    }
  }

  void sweep(long now) {
    allowed.sweep(now);
    banned.sweep(now);
    fed.sweep(now);
  }

  /// The ban that keeps the caller out; null when nothing does, or when the allow-list lets it in.
  ///
  /// @param caller asked for only when more than its address matters
  @Nullable Ban find(ClientAddress address, Supplier<Caller> caller, long now) {
    if (banned.size() == 0 && fed.size() == 0) {
      return null;
    }
    Caller who = null;
    if (matters(banned)) {
      who = caller.get();
    }
    Ban ban = find(banned, address, who, now);
    if (ban == null) {
      ban = find(fed, address, null, now);
    }
    if (ban == null || allowed.size() == 0) {
      return ban;
    }
    if (who == null && matters(allowed)) {
      who = caller.get();
    }
    return find(allowed, address, who, now) == null ? ban : null;
  }

  /// The entry of the allow-list that lets the caller in, if any.
  @Nullable Ban allows(ClientAddress address, Supplier<Caller> caller, long now) {
    if (allowed.size() == 0) {
      return null;
    }
    return find(allowed, address, matters(allowed) ? caller.get() : null, now);
  }

  private @Nullable Ban find(
      BanTable table, ClientAddress address, @Nullable Caller who, long now) {
    Ban ban = table.find(address, now);
    if (ban == null) {
      ban = table.findAsn(() -> asns.applyAsLong(address), now);
    }
    if (ban != null || who == null) {
      return ban;
    }
    for (BanSubject subject : names(table, who)) {
      ban = table.find(subject, now);
      if (ban != null) {
        return ban;
      }
    }
    return null;
  }

  private List<BanSubject> names(BanTable table, Caller who) {
    DeviceId device = table.has(BanSubject.Kind.DEVICE) ? who.device() : null;
    SessionId session = who.session();
    String account = who.account();
    return java.util.stream.Stream.of(
            device == null ? null : BanSubject.device(device, keys),
            session == null ? null : BanSubject.session(session),
            account == null ? null : BanSubject.account(account))
        .filter(java.util.Objects::nonNull)
        .toList();
  }

  /// Whether anybody is in the table by more than an address.
  private static boolean matters(BanTable table) {
    return table.has(BanSubject.Kind.DEVICE)
        || table.has(BanSubject.Kind.SESSION)
        || table.has(BanSubject.Kind.ACCOUNT);
  }
}
