package fairgate.redeem.code;

import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.text.TypedCode;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The lifecycle of codes after they were issued. Every step is recorded with its actor and reason.
/// Blocks: for virtual threads. Throws ServiceUnavailable while PostgreSQL is unavailable.
///
/// @param masks how the codes of a product look
public record CodeService(
    PostgresDatabase database,
    CodeVault vault,
    Function<String, CodeMask> masks,
    InstantSource clock) {
  private static final int MAX_DRAWS = 8;

  /// Takes a code into use; a duration that begins with the first use begins now. A repeat by the
  /// same device changes nothing and answers the same.
  ///
  /// @param device keyed hash of the browser
  /// @param usual the mask a mistyped code most likely was of
  public CodeOutcome activate(String clear, String device, CodeMask usual) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    return database.tx(
        db -> {
          Code code = find(db, clear, true).orElse(null);
          if (code == null || code.state() == Code.State.AVAILABLE) {
            return new CodeOutcome.Unknown(isTypo(clear, usual));
          }
          if (code.state() == Code.State.ACTIVATED && device.equals(code.life().activatedBy())) {
            return new CodeOutcome.Done(code, true);
          }
          if (code.state() != Code.State.ASSIGNED) {
            return new CodeOutcome.Conflict(code.state());
          }
          if (!code.isGood(now)) {
            return new CodeOutcome.Conflict(Code.State.EXPIRED);
          }
          PostgresCodes.activate(db, code, device, now);
          return new CodeOutcome.Done(
              PostgresCodes.find(db, code.id(), false).orElseThrow(), false);
        });
  }

  /// The public data of a code; empty if there is no such code, or it was not issued yet.
  public Optional<Code> check(String clear) {
    return find(clear).filter(code -> code.state() != Code.State.AVAILABLE);
  }

  /// The code of a text, however it is typed, in any state.
  public Optional<Code> find(String clear) {
    return database.reading(db -> find(db, clear, false));
  }

  /// A code that is not there as it was pasted may have marks of a sentence around it. Codes of
  /// sellers may have such marks themselves, so they come first.
  private Optional<Code> find(Db db, String pasted, boolean locked) {
    Optional<Code> found = PostgresCodes.find(db, vault.hashes(pasted), locked);
    String bare = TypedCode.withoutMarks(pasted);
    return found.isPresent() || bare.equals(pasted)
        ? found
        : PostgresCodes.find(db, vault.hashes(bare), locked);
  }

  public boolean isGood(Code code) {
    return code.isGood(clock.instant());
  }

  /// Revokes a code permanently. A repeat changes nothing and has the same result.
  public CodeOutcome revoke(long id, String actor, String reason) {
    Instant now = clock.instant();
    return database.tx(
        db -> {
          Code code = PostgresCodes.find(db, id, true).orElse(null);
          if (code == null) {
            return new CodeOutcome.Unknown(false);
          }
          return switch (code.state()) {
            case REVOKED -> new CodeOutcome.Done(code, true);
            case EXPIRED, REPLACED -> new CodeOutcome.Conflict(code.state());
            case AVAILABLE, ASSIGNED, ACTIVATED -> {
              PostgresCodes.end(db, code, Code.State.REVOKED, null);
              PostgresCodes.tell(db, id, code.state(), Code.State.REVOKED, actor, reason, now);
              yield new CodeOutcome.Done(PostgresCodes.find(db, id, false).orElseThrow(), false);
            }
          };
        });
  }

  /// Puts a new code in the place of one that was given out: for the same order, until the same
  /// time. Whoever claimed the order gets the new one from then on. Not repeatable: every call
  /// makes a new code.
  public CodeOutcome replace(long id, String actor, String reason) {
    for (int draw = 1; ; draw++) {
      try {
        return replaceOnce(id, actor, reason);
      } catch (PostgresRefusal e) {
        if (!e.duplicate() || draw == MAX_DRAWS) {
          throw e;
        }
        // The generated code exists already.
      }
    }
  }

  private CodeOutcome replaceOnce(long id, String actor, String reason) {
    Instant now = clock.instant();
    return database.tx(
        db -> {
          Code code = PostgresCodes.find(db, id, true).orElse(null);
          if (code == null) {
            return new CodeOutcome.Unknown(false);
          }
          if (code.state() != Code.State.ASSIGNED && code.state() != Code.State.ACTIVATED) {
            return new CodeOutcome.Conflict(code.state());
          }
          String clear = masks.apply(code.productId()).generate();
          long fresh = PostgresCodes.succeed(db, code, vault.seal(clear), now);
          PostgresCodes.end(db, code, Code.State.REPLACED, fresh);
          PostgresCodes.tell(db, id, code.state(), Code.State.REPLACED, actor, reason, now);
          String birth = "in place of " + id;
          PostgresCodes.tell(db, fresh, null, Code.State.ASSIGNED, actor, birth, now);
          return new CodeOutcome.Replaced(
              PostgresCodes.find(db, fresh, false).orElseThrow(), clear);
        });
  }

  public Optional<Code> find(long id) {
    return database.reading(db -> PostgresCodes.find(db, id, false));
  }

  /// The id of the code in whose place a code was put; empty for none.
  public Optional<Long> predecessor(long id) {
    return database.reading(db -> PostgresCodes.predecessor(db, id));
  }

  /// A page of codes.
  ///
  /// @param after the id before which the next page begins; null on the last page
  public record CodePage(List<Code> codes, @Nullable Long after) {
    public CodePage {
      codes = List.copyOf(codes);
    }
  }

  /// Codes, the newest first.
  public CodePage list(CodeSearch search) {
    return database.reading(db -> PostgresCodes.page(db, search));
  }

  /// All that happened to a code, the oldest first.
  public List<Code.Event> events(long id) {
    return database.reading(db -> PostgresCodes.events(db, id));
  }

  private static boolean isTypo(String clear, CodeMask usual) {
    return usual
        .symbolsOf(TypedCode.withoutMarks(clear))
        .map(symbols -> !CodeAlphabet.isRight(symbols))
        .orElse(false);
  }

  /// Which codes to list; nulls are "any".
  ///
  /// @param before the id of the last one of the page before; `Long.MAX_VALUE` for the first page
  /// @param max codes per page
  public record CodeSearch(
      @Nullable String last4,
      @Nullable String orderId,
      Code.@Nullable State state,
      @Nullable String productId,
      long before,
      int max) {}

  public sealed interface CodeOutcome {
    /// It was made.
    ///
    /// @param repeated whether it had been made before
    record Done(Code code, boolean repeated) implements CodeOutcome {}

    /// The code was replaced.
    ///
    /// @param clear the text of the new code, for the operator to pass on
    record Replaced(Code code, String clear) implements CodeOutcome {}

    /// There is no such code.
    ///
    /// @param typo whether the check character shows a typing error
    record Unknown(boolean typo) implements CodeOutcome {}

    record Conflict(Code.State state) implements CodeOutcome {}
  }
}
