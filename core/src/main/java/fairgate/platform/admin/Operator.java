package fairgate.platform.admin;

import fairgate.kernel.Role;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The caller of the admin API, and the role in which it calls.
///
/// @param id null for the shared token, which belongs to nobody
/// @param name as records show it
/// @param session the id of the session; null for tokens
public record Operator(
    @Nullable String id, String name, Role role, Means means, @Nullable String session) {
  private static final ScopedValue<Operator> CURRENT = ScopedValue.newInstance();

  public enum Means {
    SESSION,
    TOKEN,
    SHARED_TOKEN
  }

  /// The operator of the request that this thread answers; empty outside the admin API.
  public static Optional<Operator> current() {
    return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
  }

  public Reply answer(Handler.Blocking handler, Request request) throws Exception {
    return ScopedValue.where(CURRENT, this).call(() -> handler.handle(request));
  }
}
