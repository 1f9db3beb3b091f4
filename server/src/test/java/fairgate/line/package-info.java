/// The LINE channel, against a LINE platform and a weather service on loopback.
@NullMarked
package fairgate.line;

import org.jspecify.annotations.NullMarked;
