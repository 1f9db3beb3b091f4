package fairgate.link;

import fairgate.kernel.KeyRing;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/// Determines the owner of links for a request.
///
/// A signed-in account owns its links, on all of its devices. Without an account, the device cookie
/// identifies the owner; the links move to the account at sign-in.
///
/// @param accounts the id of the account that makes a request
/// @param anonymous whether a browser without an account may own links
/// @param adoption gives the links of the first owner to the second; blocks
record LinkOwners(
    Function<Request, Future<Optional<String>>> accounts,
    KeyRing keys,
    boolean anonymous,
    BiConsumer<String, String> adoption) {
  /// An owner.
  ///
  /// @param id at most 128 characters; ids of accounts and browsers never collide
  /// @param isAccount whether it is a signed-in account, which has more permissions
  record Owner(String id, boolean isAccount) {}

  /// The owner; empty if the caller may own no links. Blocks; throws ServiceUnavailable if the
  /// session cannot be checked.
  Optional<Owner> of(Request request) {
    if (isForeign(request)) {
      return Optional.empty();
    }
    Optional<String> account = accounts.apply(request).await();
    if (account.isPresent()) {
      Owner owner = new Owner(ofAccount(account.get()), true);
      if (!isProgram(request) && request.returning() != null) {
        adoption.accept(device(request), owner.id());
      }
      return Optional.of(owner);
    }
    return anonymous && !isProgram(request)
        ? Optional.of(new Owner(device(request), false))
        : Optional.empty();
  }

  static String ofAccount(String account) {
    return "account:" + account;
  }

  /// Whether a page of another site made the browser ask, in its owner's name.
  private static boolean isForeign(Request request) {
    String site = request.header("sec-fetch-site");
    return site != null && !site.equals("same-origin") && !site.equals("none");
  }

  /// A program with an expired token gets an error, because links of its device cookie would be
  /// lost.
  private static boolean isProgram(Request request) {
    return request.header("authorization") != null;
  }

  private String device(Request request) {
    return "device:" + keys.fingerprint("link-owner", request.device().id().value());
  }
}
