package fairgate.kernel;

/// A browser, as known by its signed `fairgate_device` cookie: 128 random bits as 22 characters of
/// base64url. Never stored as it is: keys hold a keyed hash of it per product.
public record DeviceId(String value) {
  public DeviceId {
    if (value.length() != 22) {
      throw new IllegalArgumentException("a device id is 22 characters");
    }
  }

  @Override
  public String toString() {
    return "[device]";
  }
}
