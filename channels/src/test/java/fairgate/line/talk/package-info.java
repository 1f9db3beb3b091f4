/// Tests of the LINE channel with a fake LINE platform and a fake weather service on loopback.
@NullMarked
package fairgate.line.talk;

import org.jspecify.annotations.NullMarked;
