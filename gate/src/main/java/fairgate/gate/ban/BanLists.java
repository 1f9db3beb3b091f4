package fairgate.gate.ban;

import fairgate.gate.network.Networks;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SessionId;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// All entries in force on this node: those of PostgreSQL and those of a feed. Readers never wait.
final class BanLists {
  private final BanTable allowed = new BanTable();
  private final BanTable banned = new BanTable();
  private final KeyRing keys;
  private final Networks networks;

  /// Replaced as a whole when the feed restarts.
  private volatile BanTable feed = new BanTable();

  BanLists(KeyRing keys, Networks networks) {
    this.keys = keys;
    this.networks = networks;
  }

  BanTable of(Ban.Effect effect) {
    return switch (effect) {
      case BAN -> banned;
      case ALLOW -> allowed;
    };
  }

  BanTable feed() {
    return feed;
  }

  void feed(BanTable table) {
    feed = table;
  }

  /// Applies the current state of an entry in PostgreSQL.
  void apply(BanEntry entry, long now) {
    Ban ban = entry.ban();
    BanTable table = of(ban.effect());
    if (entry.liftedAt() == 0 && ban.holds(now)) {
      table.put(ban);
      return;
    }
    Ban current = table.get(ban.subject());
    // A newer entry of the same subject stays.
    if (current != null && current.id() == ban.id()) {
      table.remove(ban.subject());
    }
  }

  void sweep(long now) {
    allowed.sweep(now);
    banned.sweep(now);
    feed.sweep(now);
  }

  /// The ban that applies to the caller; null when there is none or the allow-list has the caller.
  ///
  /// @param caller called only when more than the address matters
  @Nullable Ban find(ClientAddress address, Supplier<Caller> caller, long now) {
    if (banned.size() == 0 && feed.size() == 0) {
      return null;
    }
    Caller known = null;
    if (needsCaller(banned)) {
      known = caller.get();
    }
    Ban ban = find(banned, address, known, now);
    if (ban == null) {
      ban = find(feed, address, null, now);
    }
    if (ban == null || allowed.size() == 0) {
      return ban;
    }
    if (known == null && needsCaller(allowed)) {
      known = caller.get();
    }
    return find(allowed, address, known, now) == null ? ban : null;
  }

  /// The entry of the allow-list that applies to the caller, if any.
  @Nullable Ban allows(ClientAddress address, Supplier<Caller> caller, long now) {
    if (allowed.size() == 0) {
      return null;
    }
    return find(allowed, address, needsCaller(allowed) ? caller.get() : null, now);
  }

  /// Whether any entry of operators and features is of this kind.
  boolean has(BanSubject.Kind kind) {
    return banned.has(kind) || allowed.has(kind);
  }

  /// Whether any entry is about an account, so that a request's account is needed.
  boolean needAccounts() {
    return has(BanSubject.Kind.ACCOUNT);
  }

  private @Nullable Ban find(
      BanTable table, ClientAddress address, @Nullable Caller known, long now) {
    Ban ban = table.find(address, now);
    if (ban == null) {
      ban = table.findAsn(() -> networks.asn(address), now);
    }
    if (ban == null) {
      ban = table.findCountry(() -> networks.country(address), now);
    }
    if (ban != null || known == null) {
      return ban;
    }
    for (BanSubject subject : names(table, known)) {
      ban = table.find(subject, now);
      if (ban != null) {
        return ban;
      }
    }
    return null;
  }

  private List<BanSubject> names(BanTable table, Caller known) {
    DeviceId device = table.has(BanSubject.Kind.DEVICE) ? known.device() : null;
    SessionId session = known.session();
    String account = known.account();
    return java.util.stream.Stream.of(
            device == null ? null : BanSubject.device(device, keys),
            session == null ? null : BanSubject.session(session),
            account == null ? null : BanSubject.account(account))
        .filter(java.util.Objects::nonNull)
        .toList();
  }

  /// Whether any entry is about more than an address.
  private static boolean needsCaller(BanTable table) {
    return table.has(BanSubject.Kind.DEVICE)
        || table.has(BanSubject.Kind.SESSION)
        || table.has(BanSubject.Kind.ACCOUNT);
  }
}
