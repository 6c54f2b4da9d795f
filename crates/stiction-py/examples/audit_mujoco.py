"""What the forces of MuJoCo are worth: ten boxes on each other after two seconds."""

import mujoco

import stiction as st

BOX = '<body pos="0 0 {z}"><freejoint/><geom type="box" size=".2 .2 .1" friction="0.6 0 0" condim="3"/></body>'
PLANE = '<geom type="plane" size="5 5 .1" friction="0.6 0 0" condim="3"/>'
OPTION = '<option timestep="0.002" cone="elliptic" solver="Newton" tolerance="1e-12"/>'
boxes = "".join(BOX.format(z=0.1 + 0.2 * k) for k in range(10))
model = mujoco.MjModel.from_xml_string(f"<mujoco>{OPTION}<worldbody>{PLANE}{boxes}</worldbody></mujoco>")
data = mujoco.MjData(model)
while data.time < 2:
    mujoco.mj_step(model, data)

found = st.audit_mujoco(model, data)
print(found)
print(f"lawful forces: {found.exact}")
