package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// The error catalogue in the docs is made from the code, and equals it. Run with
/// `-Dfairgate.docs.write=true` to write it anew.
class ErrorCatalogTest {
  private static final Path PAGE = Tree.ROOT.resolve("docs/api/errors.md");

  @Test
  void theCommittedCatalogueEqualsTheCode() throws IOException {
    String page = page();
    if (Boolean.getBoolean("fairgate.docs.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Tree.read(PAGE))
        .as("run ErrorCatalogTest with -Dfairgate.docs.write=true")
        .isEqualTo(page);
  }

  private static String page() {
    StringBuilder page =
        new StringBuilder(
            """
            # Error codes

            Generated from the code by `ErrorCatalogTest`; do not edit.

            Every refusal is `{"success": false, "error": CODE, "message": text, "request_id": id}` with the
            status below, `retry_after` (seconds) and a `Retry-After` header if a retry makes sense, and further
            members for some codes. `message` follows `Accept-Language`. With `Accept: application/problem+json`
            the same content comes as RFC 9457 with the `type` `urn:fairgate:error:CODE`. Codes are never renamed
            or reused; program against them, not against the texts. `INVALID_REQUEST` names the invalid `field`
            if there is one; it is also the code of 414 and 431, for a target or header that is too long.
            `POST /api/redeem/claim` answers `ORDER_NOT_FOUND` and `PRODUCT_NOT_FOUND` with status 400.

            The column `kind`: `caller`: the request is wrong; `state`: the request is right, but the current
            state does not allow it; `busy`: retry later; `fault`: a defect of the server.

            | code | status | kind | en | zh-Hant | zh-Hans |
            |---|---|---|---|---|---|
            """);
    for (ErrorCode code : ErrorCode.values()) {
      page.append("| `").append(code.name()).append("` | ");
      page.append(code.status()).append(" | ");
      page.append(code.kind().name().toLowerCase(Locale.ROOT)).append(" |");
      for (Language language : new Language[] {Language.EN, Language.ZH_HANT, Language.ZH_HANS}) {
        page.append(' ').append(Messages.text(language, "error." + code.name())).append(" |");
      }
      page.append('\n');
    }
    return page.toString();
  }
}
