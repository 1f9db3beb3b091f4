package fairgate.account.identity;

/// The outside register that knows the names of persons. Calls block, end within a few seconds, and
/// do not throw for a failure of the register.
public interface PersonRegister extends AutoCloseable {
  /// Whether the identity number is that of the person of this name.
  NameCheck checkName(String name, String idNumber);

  @Override
  default void close() {}

  enum NameCheck {
    MATCHES,
    DIFFERS,
    /// The register does not know, or is not available.
    UNKNOWN
  }
}
