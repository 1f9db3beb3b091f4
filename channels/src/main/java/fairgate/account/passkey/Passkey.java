package fairgate.account.passkey;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A passkey of an account.
///
/// @param id the credential id, base64url
/// @param usedAt null before its first use
public record Passkey(String id, Instant createdAt, @Nullable Instant usedAt) {}
