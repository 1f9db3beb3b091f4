package fairgate.room.check;

import fairgate.room.Room;
import fairgate.room.RoomRules;
import fairgate.room.RoomService;
import fairgate.room.token.ReturnUrls;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Decides about one request to a protected site. Everything it reads is in memory.
final class GateCheck {
  /// The longest address to return to: the location with it must fit into the 4 KiB that nginx
  /// reads of a response's headers.
  private static final int LONGEST_RETURN = ReturnUrls.MAX_LENGTH;

  /// The methods that a form can ask for in a POST.
  private static final List<String> REPLACED = List.of("PUT", "PATCH", "DELETE");

  private static final Pattern QUERY = Pattern.compile("\\?.*");
  private static final Pattern MARK = Pattern.compile("#|%(25)*(23|3[fF])");

  private final RoomStates rooms;
  private final VerifiedPasses passes;
  private final Clock clock;

  GateCheck(RoomStates rooms, RoomTokens tokens, Clock clock) {
    this.rooms = rooms;
    this.passes = new VerifiedPasses(tokens);
    this.clock = clock;
  }

  /// What the operator configured in the proxy.
  ///
  /// @param page scheme and host of the waiting page; empty for those of the site itself
  record Question(String room, String page) {}

  /// Whether the request may pass.
  ///
  /// @param cookies the value of a cookie by its name; null when absent
  CheckOutcome check(
      Question question, OriginalRequest original, Function<String, @Nullable String> cookies) {
    Optional<Room> found = rooms.find(question.room());
    if (found.isEmpty()) {
      return new CheckOutcome.Refused(CheckOutcome.Problem.UNKNOWN_ROOM);
    }
    Room room = found.get();
    // Otherwise a request for another host name of the same shop would not be protected.
    if (!room.rules().isHost(original.host())) {
      return new CheckOutcome.Refused(CheckOutcome.Problem.OTHER_HOST);
    }
    if (room.mode() == Room.Mode.OFF || !isProtected(room.rules(), original)) {
      return CheckOutcome.Unprotected.INSTANCE;
    }
    String token = cookies.apply(RoomService.passCookie(room.id()));
    Optional<CheckOutcome> admitted = token == null ? Optional.empty() : admitted(room, token);
    return admitted.orElseGet(() -> withoutPass(room, original, question.page()));
  }

  private Optional<CheckOutcome> admitted(Room room, String token) {
    long now = clock.instant().getEpochSecond();
    return passes
        .find(room, token, now)
        .filter(pass -> !rooms.isRevoked(room, pass.claims()))
        .map(pass -> new CheckOutcome.Admitted(room, pass, isRenewable(pass.claims(), now)));
  }

  private static boolean isRenewable(RoomClaims pass, long now) {
    long longest = pass.since() + Room.ABSOLUTE_SESSION.toSeconds();
    return now - pass.issuedAt() >= pass.expiresAt() - now && pass.expiresAt() < longest;
  }

  private CheckOutcome withoutPass(Room room, OriginalRequest original, String pageOrigin) {
    return switch (rooms.entry(room)) {
      case OPEN -> CheckOutcome.Unprotected.INSTANCE;
      case WAIT -> waiting(room, original, pageOrigin);
      case WALK_IN -> new CheckOutcome.WalkIn(room, waiting(room, original, pageOrigin));
    };
  }

  private CheckOutcome.Waiting waiting(Room room, OriginalRequest original, String pageOrigin) {
    String origin = pageOrigin.isEmpty() ? original.origin() : pageOrigin;
    String page = rooms.page(room, origin, returnUrl(room, original));
    return new CheckOutcome.Waiting(page, original.navigation());
  }

  /// Where the visitor returns to: the address itself; the address without its query, if it is too
  /// long; the first page of the site, if the room's settings name none. Empty for the page of the
  /// settings, and for a program, whose own address is no page.
  private static String returnUrl(Room room, OriginalRequest original) {
    if (!original.navigation()) {
      return "";
    }
    List<String> wanted = new ArrayList<>();
    if (original.isRepeatable()) {
      String url = original.origin() + original.target();
      wanted.add(url);
      wanted.add(QUERY.matcher(url).replaceFirst(""));
    }
    if (room.look().returnUrl().isEmpty()) {
      wanted.add(original.origin() + '/');
    }
    return wanted.stream()
        .filter(url -> url.length() <= LONGEST_RETURN && room.isReturnUrl(url))
        .findFirst()
        .orElse("");
  }

  /// Whether the room protects the request with any method that the shop may read in it: some shops
  /// let a header, or a field of a form, replace the method.
  private static boolean isProtected(RoomRules rules, OriginalRequest original) {
    if (protects(rules, original.method(), original)) {
      return true;
    }
    if (original.methodOverride()) {
      return rules.methods().stream().anyMatch(method -> protects(rules, method, original));
    }
    return original.method().equals("POST")
        && REPLACED.stream().anyMatch(method -> protects(rules, method, original));
  }

  /// Some servers end the path at a mark, plain or encoded, and others do not.
  private static boolean protects(RoomRules rules, String method, OriginalRequest original) {
    String host = original.host();
    String target = original.target();
    if (rules.protects(method, host, target)) {
      return true;
    }
    return MARK.matcher(target).find()
        && (rules.protects(method, host, MARK.matcher(target).replaceAll("/"))
            || rules.protects(method, host, MARK.split(target, 2)[0]));
  }

  sealed interface CheckOutcome {
    /// The visitor has a valid pass.
    ///
    /// @param renewable whether half of the pass's time is over
    record Admitted(Room room, VerifiedPasses.Verified pass, boolean renewable)
        implements CheckOutcome {}

    /// The room lets everybody pass here: another path or method, or the room is off or opened by
    /// its failure policy.
    record Unprotected() implements CheckOutcome {
      static final Unprotected INSTANCE = new Unprotected();
    }

    /// The visitor may walk in while the room is on standby, and has to wait otherwise.
    record WalkIn(Room room, Waiting otherwise) implements CheckOutcome {}

    /// The visitor has to wait.
    ///
    /// @param page address of the waiting page, which leads back
    /// @param navigation whether the browser shows the answer as a page
    record Waiting(String page, boolean navigation) implements CheckOutcome {}

    /// The question or the request is refused, whatever the visitor has.
    record Refused(Problem problem) implements CheckOutcome {}

    enum Problem {
      UNTRUSTED_PROXY,
      /// A header about the original request is missing, repeated or malformed.
      BAD_ORIGINAL_REQUEST,
      UNKNOWN_ROOM,
      OTHER_HOST
    }
  }
}
